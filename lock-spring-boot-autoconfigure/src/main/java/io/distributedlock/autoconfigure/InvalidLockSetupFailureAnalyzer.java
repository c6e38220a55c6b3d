package io.distributedlock.autoconfigure;

import io.distributedlock.UnknownLockProviderException;
import io.distributedlock.annotation.InvalidLockSetupException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Reports an annotation that cannot work, or a set-up in which none can: what is wrong,
 * and what to do. Without an analyzer, Spring Boot would print a stack trace.
 */
// before those of Spring Boot, which know the cause but not what it means here
@Order(0)
class InvalidLockSetupFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockSetupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockSetupException cause) {
		String action = (cause.getCause() instanceof UnknownLockProviderException unknown)
				? KnownProvider.adviceForAnnotation(unknown.getProvider()) : cause.getAction();
		return new FailureAnalysis(cause.getDescription(), action, cause);
	}

}
