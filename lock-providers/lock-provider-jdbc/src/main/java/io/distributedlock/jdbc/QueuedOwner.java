package io.distributedlock.jdbc;

import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.support.CommandLease;
import org.jspecify.annotations.Nullable;

/**
 * One owner that waits in a queue and asks again and again. An answer may be lost or come
 * late, and the database may act on a question that was given up. So the next question
 * looks whether the lock was granted already, and what comes when the place or the lock
 * is over is removed.
 */
final class QueuedOwner implements CallThreads.Late<Long> {

	private final Runnable removal;

	private volatile boolean inDoubt;

	private volatile boolean over;

	/**
	 * Create an owner that has not asked yet.
	 * @param removal removes it from the queue and from the key
	 */
	QueuedOwner(Runnable removal) {
		this.removal = removal;
	}

	/**
	 * Return whether the lock may have been granted in an answer that nobody saw.
	 */
	boolean isInDoubt() {
		return this.inDoubt;
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * A question has ended for who asked it.
	 */
	void answered(@Nullable Throwable failure) {
		if (failure != null) {
			this.inDoubt = true;
		}
		lookBack();
	}

	@Override
	public void succeeded(Long token) {
		lookBack();
	}

	@Override
	public void failed(Throwable failure) {
		lookBack();
	}

	/**
	 * The place is left.
	 */
	void leave() {
		this.over = true;
		this.removal.run();
	}

	/**
	 * Return a lease of this owner after whose end nothing of it stays.
	 */
	CommandLease watched(CommandLease lease) {
		return lease.withEnding(() -> release(lease));
	}

	private CompletionStage<Boolean> release(CommandLease lease) {
		this.over = true;
		return lease.release().whenComplete((had, failure) -> {
			if (this.inDoubt) {
				this.removal.run();
			}
		});
	}

	/**
	 * What was under way when it was over may have come after the removal.
	 */
	private void lookBack() {
		if (this.over) {
			this.removal.run();
		}
	}

}
