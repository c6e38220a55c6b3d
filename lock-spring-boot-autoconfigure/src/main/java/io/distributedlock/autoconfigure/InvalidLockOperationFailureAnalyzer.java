package io.distributedlock.autoconfigure;

import io.distributedlock.spring.InvalidLockOperationException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports an invalid annotation: what is wrong, and what to do. Without an analyzer,
 * Spring Boot would print a stack trace.
 */
class InvalidLockOperationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockOperationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockOperationException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Correct the annotation. Key expressions are SpEL: #parameter, #p0, #root.method, or a 'literal' in quotes.",
				cause);
	}

}
