package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a lock registry of this library beside a Spring Integration that has another
 * interface for it. Its class cannot be loaded then, so it cannot say that itself.
 */
class OldSpringIntegrationFailureAnalyzer extends AbstractFailureAnalyzer<NoClassDefFoundError> {

	private static final String MISSING = "org/springframework/integration/support/locks/DistributedLock";

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoClassDefFoundError cause) {
		if (!MISSING.equals(cause.getMessage())) {
			return null;
		}
		return new FailureAnalysis("LockTemplateLockRegistry needs Spring Integration 7.0 or later.",
				"Update to Spring Boot 4, which has it. Until then declare a LockRegistry whose locks are those of LockTemplate.asLock(request).",
				cause);
	}

}
