package io.distributedlock.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Reports a {@link LockConfigurationException}: what is wrong, and what to do. Without an
 * analyzer, Spring Boot would print a stack trace.
 */
// before those of Spring Boot, which know the cause but not what it means here
@Order(0)
public class LockConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LockConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockConfigurationException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.getAction(), cause);
	}

}
