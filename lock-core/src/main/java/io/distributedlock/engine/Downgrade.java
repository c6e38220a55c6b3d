package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Lets others read beside an owner who has written, and goes on reading. The backend is
 * told by an extension of the lease as that of a reader; until it has answered nobody
 * else gets in.
 */
final class Downgrade {

	/**
	 * The second try comes after an eighth of the command time-out, and each next one
	 * after twice the pause before.
	 */
	private static final int FIRST_PAUSE_SHIFT = 3;

	private static final long LONGEST_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

	private final HeldLock lock;

	private final Engine engine;

	private long pauseNanos;

	private Downgrade(HeldLock lock) {
		this.lock = lock;
		this.engine = lock.engine();
		this.pauseNanos = this.engine.questions().commandTimeoutNanos() >> FIRST_PAUSE_SHIFT;
	}

	/**
	 * Begin, at the end of the time for which the writer keeps the key at least.
	 * @return completes within the command time-out: when others may read, or that time
	 * is not over yet, or the lock has ended; fails if the backend could not be told.
	 * That is tried again for as long as the lease runs, unless the backend has refused
	 * it
	 */
	static CompletableFuture<@Nullable Void> of(HeldLock lock) {
		Downgrade downgrade = new Downgrade(lock);
		try {
			long minimum = lock.remainingHoldNanos();
			if (minimum > 0) {
				downgrade.later(minimum);
				return CompletableFuture.completedFuture(null);
			}
			return downgrade.send();
		}
		catch (Throwable ex) {
			// of the provider: the other locks of this call are left all the same
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<@Nullable Void> send() {
		if (!this.lock.isValid()) {
			return CompletableFuture.completedFuture(null);
		}
		this.lock.becomeReader();
		return Extension.send(this.lock, this::length).handle((done, failure) -> {
			// who holds what has ended is told of that, and it keeps nobody out
			if (failure != null && this.lock.isHeld()) {
				onFailure(LockErrors.unwrap(failure));
			}
			return null;
		});
	}

	private void onFailure(Throwable failure) {
		Throwable cause = (failure instanceof LockUnavailableException && failure.getCause() != null)
				? failure.getCause() : failure;
		if (cause instanceof BackendException refusal && !refusal.isRetryable()) {
			this.lock.stayWriter();
		}
		else {
			later(this.pauseNanos);
			this.pauseNanos = Math.min(2 * this.pauseNanos, LONGEST_PAUSE_NANOS);
		}
		throw new CompletionException(cause);
	}

	/**
	 * The lease ends no earlier than before.
	 */
	private Duration length() {
		Duration left = this.lock.clock().lengthToKeep(this.engine.nanoTime());
		Duration shortest = this.lock.provider().leaseLimits().shortest();
		return (left.compareTo(shortest) < 0) ? shortest : left;
	}

	private void later(long nanos) {
		this.lock.setDowngradeTimer(this.engine.timers().stepAt(this.engine.nanoTime() + nanos, this::send));
	}

}
