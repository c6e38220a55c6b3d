package io.distributedlock.spring.operation;

import io.distributedlock.annotation.LockContentionHandler;
import io.distributedlock.spring.invocation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * On contention a bean of the application decides.
 */
final class HandlerPolicy {

	private HandlerPolicy() {
	}

	static ContentionPolicy of(LockAttributes attributes, @Nullable BeanFactory beans) {
		String name = attributes.text("handler");
		if (beans == null || !beans.containsBean(name) || !beans.isTypeMatch(name, LockContentionHandler.class)) {
			throw attributes.invalid("handler", "there is no bean of this name that is a LockContentionHandler",
					"Declare a LockContentionHandler bean of this name, or correct the name", null);
		}
		return (contention, call) -> beans.getBean(name, LockContentionHandler.class)
			.handle(call.invocation(), contention);
	}

}
