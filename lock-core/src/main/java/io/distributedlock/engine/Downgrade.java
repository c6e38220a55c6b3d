package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Lets other readers in when a writer continues as a reader. The backend does that with
 * the first renewal of the lease as a reader's; until it has answered, nobody else gets
 * in.
 * <p>
 * Why: docs/decisions/011-downgrade-is-a-renewal.md
 */
final class Downgrade {

	/**
	 * The pause before the second try is an eighth of the command time-out. Each further
	 * pause is twice as long as the one before.
	 */
	private static final int FIRST_PAUSE_SHIFT = 3;

	private static final long LONGEST_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

	private final HeldLock lock;

	private final Engine engine;

	private final Lease writer;

	private final Lease reader;

	private volatile Lease lease;

	private volatile Timers.@Nullable Timer timer;

	private volatile boolean missed;

	private volatile long pauseNanos;

	Downgrade(HeldLock lock, Engine engine, Lease writer, Lease reader) {
		this.lock = lock;
		this.engine = engine;
		this.writer = writer;
		this.reader = reader;
		this.lease = writer;
		this.pauseNanos = engine.questions().commandTimeoutNanos() >> FIRST_PAUSE_SHIFT;
	}

	/**
	 * Return the lease as it is now: a writer's or a reader's.
	 */
	Lease lease() {
		return this.lease;
	}

	/**
	 * Begin the downgrade, or plan it for the end of the minimum hold time.
	 * @return completes within the command time-out: when others may read, when the
	 * downgrade is planned for later, or when the lock has ended; fails if the backend
	 * failed or gave no answer. It is tried again while the lease runs, unless the
	 * backend has refused it
	 */
	CompletableFuture<@Nullable Void> begin() {
		try {
			long minimum = this.lock.remainingMinimumNanos();
			if (minimum > 0) {
				later(minimum);
				return CompletableFuture.completedFuture(null);
			}
			return send();
		}
		catch (Throwable ex) {
			// thrown by the provider; the other locks of this call are still to be left
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Begin at the next renewal, as the caller has no stack left for it now.
	 */
	void beginLater() {
		this.missed = true;
	}

	/**
	 * Begin if {@link #beginLater()} was called.
	 */
	void beginIfMissed() {
		if (this.missed) {
			this.missed = false;
			this.engine.runtime().execute(this::begin);
		}
	}

	/**
	 * Try no more: the lock has ended.
	 */
	void end() {
		Timers.Timer next = this.timer;
		if (next != null) {
			next.cancel();
		}
	}

	private CompletableFuture<@Nullable Void> send() {
		if (!this.lock.isValid()) {
			return CompletableFuture.completedFuture(null);
		}
		this.lease = this.reader;
		return Extension.send(this.lock, this::length).handle((done, failure) -> {
			// a hold that has ended keeps nobody out, and its holder is told of the loss
			if (failure != null && this.lock.isHeld()) {
				onFailure(Failures.unwrap(failure));
			}
			return null;
		});
	}

	private void onFailure(Throwable failure) {
		Throwable cause = (failure instanceof LockUnavailableException && failure.getCause() != null)
				? failure.getCause() : failure;
		if (cause instanceof BackendException refusal && !refusal.isRetryable()) {
			this.lease = this.writer;
		}
		else {
			later(this.pauseNanos);
			this.pauseNanos = Math.min(2 * this.pauseNanos, LONGEST_PAUSE_NANOS);
		}
		throw new CompletionException(cause);
	}

	/**
	 * Return a length with which the lease ends no earlier than before.
	 */
	private Duration length() {
		Duration left = this.lock.clock().lengthToKeep(this.engine.nanoTime());
		Duration shortest = this.lock.provider().leaseLimits().shortest();
		return (left.compareTo(shortest) < 0) ? shortest : left;
	}

	private void later(long nanos) {
		this.timer = this.engine.timers().stepAt(this.engine.nanoTime() + nanos, this::send);
		if (!this.lock.isHeld()) {
			end();
		}
	}

}
