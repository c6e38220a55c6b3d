package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.support.DelayedTasks;

/**
 * Asks again about a lock that is in hands which may release it unheard, or free for
 * them. The longer they have it, the longer the pauses are: no wait gets longer by more
 * than an eighth. Thread-safe.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @since 0.1
 */
public final class RetryPauses {

	private static final long LEAST_PAUSE_NANOS = 5_000_000;

	private static final int PART = 8;

	private final Runnable question;

	private final AtomicBoolean due = new AtomicBoolean();

	private volatile boolean begun;

	private volatile long since;

	/**
	 * Create an object that asks nothing yet.
	 * @param question asks, and does not block
	 */
	public RetryPauses(Runnable question) {
		this.question = question;
	}

	/**
	 * Ask again after a pause, as others were seen to have the lock.
	 */
	public void soon() {
		long now = System.nanoTime();
		if (!this.begun) {
			this.since = now;
			this.begun = true;
		}
		if (this.due.compareAndSet(false, true)) {
			long pause = Math.max(LEAST_PAUSE_NANOS, (now - this.since) / PART);
			DelayedTasks.after(Duration.ofNanos(pause)).execute(() -> {
				this.due.set(false);
				this.question.run();
			});
		}
	}

	/**
	 * Begin with a short pause the next time, as others have the lock no longer.
	 */
	public void reset() {
		this.begun = false;
	}

}
