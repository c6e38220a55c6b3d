package io.distributedlock.spring.internal.operation;

import io.distributedlock.annotation.LockContentionHandler;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.spring.internal.invocation.ContentionPolicy;
import io.distributedlock.spring.internal.invocation.LockedInvocation;
import io.distributedlock.spring.internal.returntype.ReturnType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanFactory;

/**
 * Chooses the contention policy that an annotation asks for.
 *
 * @param byDefault what applies without a choice of the annotation
 * @param beans where handlers are found by their names, {@code null} for nowhere
 */
record ContentionPolicies(OnContention byDefault, @Nullable BeanFactory beans) {

	private static final Logger logger = LoggerFactory.getLogger(ContentionPolicies.class);

	ContentionPolicy of(LockAttributes attributes, LockedInvocation invocation) {
		OnContention chosen = attributes.choice("onContention", OnContention.class);
		boolean fallback = !attributes.raw("fallback").isEmpty();
		boolean handler = !attributes.raw("handler").isEmpty();
		int choices = (fallback ? 1 : 0) + (handler ? 1 : 0) + ((chosen != OnContention.DEFAULT) ? 1 : 0);
		attributes.refuseIf(choices > 1, "onContention",
				"onContention, fallback and handler exclude each other, and several are set", "Keep one of them");
		if (fallback) {
			return FallbackPolicy.of(attributes);
		}
		if (handler) {
			return handler(attributes);
		}
		OnContention effective = (chosen != OnContention.DEFAULT) ? chosen : this.byDefault;
		return (effective == OnContention.SKIP) ? skip(attributes, invocation) : ContentionPolicy.THROW;
	}

	/**
	 * A bean of the application decides.
	 */
	private ContentionPolicy handler(LockAttributes attributes) {
		String name = attributes.text("handler");
		BeanFactory known = this.beans;
		if (known == null || !known.containsBean(name) || !known.isTypeMatch(name, LockContentionHandler.class)) {
			throw attributes.invalid("handler", "there is no bean of this name that is a LockContentionHandler",
					"Declare a LockContentionHandler bean of this name, or correct the name", null);
		}
		return (contention, call) -> known.getBean(name, LockContentionHandler.class)
			.handle(call.invocation(), contention);
	}

	/**
	 * The method is skipped: the call returns an empty value.
	 */
	private static ContentionPolicy skip(LockAttributes attributes, LockedInvocation invocation) {
		attributes.refuseIf(!invocation.canSkip(), "onContention",
				"a method that returns %s cannot be skipped, since this type has no empty value"
					.formatted(ReturnType.of(attributes.method(), attributes.userClass()).type().getSimpleName()),
				"Return a type that may be null, or an Optional, or name a fallback");
		return (contention, call) -> {
			logger.debug("{} is skipped: {}", attributes.method().getName(), contention.getMessage());
			return invocation.skipped();
		};
	}

}
