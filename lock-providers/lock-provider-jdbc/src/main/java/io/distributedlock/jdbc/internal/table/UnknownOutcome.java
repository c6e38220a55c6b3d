package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;

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
	 * Deal with a failure that the caller gets. Unless the database has refused the
	 * statement, the owner is removed: it may have been granted the lock.
	 * @return the exception for the caller
	 */
	BackendException explain(Throwable failure) {
		BackendException exception = (BackendException) Failures.unwrap(failure);
		boolean refused = !exception.isRetryable()
				&& Failures.causes(exception).anyMatch(SQLException.class::isInstance);
		if (this.sent && !refused) {
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

}
