package io.distributedlock.spring.operation;

import io.distributedlock.spring.invocation.ContentionPolicy;
import io.distributedlock.spring.invocation.LockedInvocation;
import io.distributedlock.spring.returntype.ReturnType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * On contention the method is skipped: the call returns an empty value.
 */
final class SkipPolicy {

	private static final Logger logger = LoggerFactory.getLogger(SkipPolicy.class);

	private SkipPolicy() {
	}

	static ContentionPolicy of(LockAttributes attributes, LockedInvocation invocation) {
		if (!invocation.canSkip()) {
			throw attributes.invalid("onContention",
					"a method that returns %s cannot be skipped, since this type has no empty value"
						.formatted(ReturnType.of(attributes.method(), attributes.userClass()).name()),
					"Return a type that may be null, or an Optional, or name a fallback", null);
		}
		return (contention, call) -> {
			logger.debug("{} is skipped: {}", attributes.method().getName(), contention.getMessage());
			return invocation.skipped();
		};
	}

}
