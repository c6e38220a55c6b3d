package io.distributedlock.spring.internal.expression;

import org.springframework.expression.EvaluationException;

/**
 * A part of a text is null.
 */
final class NullPartException extends EvaluationException {

	private static final long serialVersionUID = 1L;

	NullPartException(String message) {
		super(message);
	}

}
