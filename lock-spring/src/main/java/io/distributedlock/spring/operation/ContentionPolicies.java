package io.distributedlock.spring.operation;

import io.distributedlock.annotation.OnContention;
import io.distributedlock.spring.invocation.ContentionPolicy;
import io.distributedlock.spring.invocation.LockedInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * Chooses the contention policy that an annotation asks for.
 */
final class ContentionPolicies {

	private final OnContention byDefault;

	private final @Nullable BeanFactory beans;

	ContentionPolicies(OnContention byDefault, @Nullable BeanFactory beans) {
		this.byDefault = (byDefault == OnContention.DEFAULT) ? OnContention.THROW : byDefault;
		this.beans = beans;
	}

	ContentionPolicy of(LockAttributes attributes, LockedInvocation invocation) {
		OnContention chosen = attributes.choice("onContention", OnContention.class);
		boolean fallback = !attributes.raw("fallback").isEmpty();
		boolean handler = !attributes.raw("handler").isEmpty();
		int choices = (fallback ? 1 : 0) + (handler ? 1 : 0) + ((chosen != OnContention.DEFAULT) ? 1 : 0);
		if (choices > 1) {
			throw attributes.invalid("onContention",
					"onContention, fallback and handler exclude each other, and several are set", "Keep one of them",
					null);
		}
		if (fallback) {
			return FallbackPolicy.of(attributes);
		}
		if (handler) {
			return HandlerPolicy.of(attributes, this.beans);
		}
		OnContention effective = (chosen != OnContention.DEFAULT) ? chosen : this.byDefault;
		return (effective == OnContention.SKIP) ? SkipPolicy.of(attributes, invocation) : ContentionPolicy.THROW;
	}

}
