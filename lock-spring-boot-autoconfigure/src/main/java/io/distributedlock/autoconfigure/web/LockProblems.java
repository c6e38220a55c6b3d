package io.distributedlock.autoconfigure.web;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers requests whose lock was not acquired, or was lost. The answers tell neither the
 * key nor what the backend said.
 */
// as Spring Boot's own problem details: before a handler of all exceptions
@Order(0)
@RestControllerAdvice
final class LockProblems {

	@ExceptionHandler
	ProblemDetail notAcquired(LockNotAcquiredException ex) {
		return switch (ex.getReason()) {
			case CONTENDED, CROWDED ->
				problem(HttpStatus.CONFLICT, "Another request is working on the same. Try again later.");
			case INTERRUPTED, CLOSED, NO_THREAD -> unavailable();
		};
	}

	@ExceptionHandler(LockUnavailableException.class)
	ProblemDetail unavailable() {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Nothing was done. Try again later.");
	}

	@ExceptionHandler(LockLostException.class)
	ProblemDetail lost() {
		return problem(HttpStatus.INTERNAL_SERVER_ERROR,
				"The request may have been done in part. Check that before you try again.");
	}

	@ExceptionHandler(InvalidLockKeyException.class)
	ProblemDetail withoutKey() {
		return problem(HttpStatus.BAD_REQUEST, "A value that the request needs is missing or not allowed.");
	}

	private static ProblemDetail problem(HttpStatus status, String detail) {
		return ProblemDetail.forStatusAndDetail(status, detail);
	}

}
