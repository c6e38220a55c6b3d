package io.distributedlock.jdbc.internal.table;

import java.util.concurrent.CompletionException;

import io.distributedlock.jdbc.internal.call.CallThreads;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;

/**
 * Removes the owner of an attempt whose outcome is unknown, unless nothing was sent.
 */
final class UnknownOutcome implements CallThreads.Late<Long> {

	private final Runnable removal;

	private volatile boolean sent;

	UnknownOutcome(Runnable removal) {
		this.removal = removal;
	}

	/**
	 * Note that from now on the database may have granted the lock.
	 */
	void sent() {
		this.sent = true;
	}

	/**
	 * Deal with a failure that the caller gets. After one that may pass, the owner is
	 * removed: the database may have granted the lock.
	 * @return the exception for the caller
	 */
	RuntimeException explain(Throwable failure) {
		RuntimeException exception = unwrapped(failure);
		if (this.sent && exception instanceof BackendException backendException && backendException.isRetryable()) {
			this.removal.run();
		}
		return exception;
	}

	/**
	 * Remove the owner again: the removal after the failure may have come before this
	 * grant.
	 */
	@Override
	public void succeeded(Long token) {
		if (token != 0) {
			this.removal.run();
		}
	}

	@Override
	public void failed(Throwable failure) {
		if (this.sent) {
			this.removal.run();
		}
	}

	/**
	 * Return what a call failed with as an exception to throw: the translated failure
	 * without the wrappers of futures.
	 */
	private static RuntimeException unwrapped(Throwable failure) {
		return (Failures.unwrap(failure) instanceof BackendException backendException) ? backendException
				: new CompletionException(failure);
	}

}
