package io.distributedlock.examples;

import java.util.concurrent.locks.Lock;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.BothLocks;
import io.distributedlock.spring.integration.LockTemplateLockRegistry;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

@Configuration(proxyBeanMethods = false)
class BothRegistries {

	@Bean
	LockRegistry<Lock> lockRegistry(LockTemplate lockTemplate) {
		LockRegistry<?> old = oldRegistry();
		LockTemplateLockRegistry ours = new LockTemplateLockRegistry(lockTemplate, LockRequest.of("files"));
		return (key) -> new BothLocks(old.obtain(key), ours.obtain(key));
	}

	private LockRegistry<?> oldRegistry() {
		return new DefaultLockRegistry();
	}

}
