package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Lets others read beside an owner who has written, and goes on reading. The backend is
 * told by an extension of the lease as that of a reader; until it has answered nobody
 * else gets in.
 */
final class Downgrade {

	/**
	 * The next try comes after an eighth of the command time-out.
	 */
	private static final int RETRY_SHIFT = 3;

	private final HeldLock lock;

	private final Engine engine;

	private Downgrade(HeldLock lock) {
		this.lock = lock;
		this.engine = lock.engine();
	}

	/**
	 * Begin, at the end of the time for which the writer keeps the key at least.
	 * @return completes within the command time-out: when others may read, or that time
	 * is not over yet; fails if the backend could not be told, which is then tried again
	 * for as long as the lease runs
	 */
	static CompletableFuture<@Nullable Void> start(HeldLock lock) {
		Downgrade downgrade = new Downgrade(lock);
		long minimum = lock.remainingHoldNanos();
		if (minimum > 0) {
			downgrade.later(minimum);
			return CompletableFuture.completedFuture(null);
		}
		return downgrade.send();
	}

	private CompletableFuture<@Nullable Void> send() {
		if (!this.lock.isValid()) {
			// who holds it is told of that, and it keeps nobody out
			return CompletableFuture.completedFuture(null);
		}
		this.lock.becomeReader();
		return Extension.send(this.lock, length()).handle((done, failure) -> {
			if (failure != null && LockErrors.unwrap(failure) instanceof LockUnavailableException unavailable) {
				later(this.engine.questions().commandTimeoutNanos() >> RETRY_SHIFT);
				throw new CompletionException(unavailable.getCause());
			}
			return null;
		});
	}

	private Duration length() {
		Duration left = this.lock.clock().lengthToKeep(this.engine.nanoTime());
		Duration shortest = this.lock.provider().leaseLimits().shortest();
		return (left.compareTo(shortest) < 0) ? shortest : left;
	}

	private void later(long nanos) {
		this.engine.timers().stepAt(this.engine.nanoTime() + nanos, () -> {
			if (this.lock.isValid()) {
				send();
			}
		});
	}

}
