package io.distributedlock.jdbc;

import io.distributedlock.spi.BackendException;

/**
 * Removes the owner of an attempt whose outcome nobody knows, unless nothing was sent.
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
	 * The caller is told of a failure.
	 * @return what to tell
	 */
	RuntimeException explain(Throwable failure) {
		RuntimeException exception = JdbcLocks.backendException(failure);
		if (this.sent && exception instanceof BackendException backendException && backendException.isRetryable()) {
			this.removal.run();
		}
		return exception;
	}

	/**
	 * What was removed when the caller was told of a failure may have come before this.
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

}
