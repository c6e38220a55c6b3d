package io.distributedlock.examples;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.LockContentionHandler;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ContentionHandlers {

	@Bean
	LockContentionHandler busyAnswer() {
		return (MethodInvocation call, LockNotAcquiredException contention) -> "busy: " + call.getMethod().getName();
	}

}
