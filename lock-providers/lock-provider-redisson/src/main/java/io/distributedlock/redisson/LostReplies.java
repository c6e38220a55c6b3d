package io.distributedlock.redisson;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.redisson.api.RLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes owners that nobody knows of: Redis may have granted them the lock in an answer
 * that was lost. Tries until Redis says that the owner is gone, at most as long as the
 * lease would have lasted.
 */
final class LostReplies {

	private static final Logger logger = LoggerFactory.getLogger(LostReplies.class);

	private static final long FIRST_DELAY_MILLIS = 50;

	private static final long LAST_DELAY_MILLIS = 2000;

	private volatile boolean closed;

	void release(RLock lock, long owner, Duration leaseTime) {
		logger.warn("The answer to an attempt at lock '{}' was lost: its owner is removed in case that it has the lock",
				lock.getName());
		release(lock, owner, System.nanoTime() + leaseTime.toNanos(), FIRST_DELAY_MILLIS);
	}

	void close() {
		this.closed = true;
	}

	private void release(RLock lock, long owner, long giveUpAt, long delayMillis) {
		lock.unlockAsync(owner).whenComplete((ignored, failure) -> {
			if (failure == null || RedissonErrors.isNotOwner(failure)) {
				return;
			}
			if (this.closed || System.nanoTime() - giveUpAt >= 0) {
				logger.debug("The owner of lock '{}' was not removed; its lease has ended", lock.getName(), failure);
				return;
			}
			Executor later = CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS);
			later.execute(() -> release(lock, owner, giveUpAt, Math.min(delayMillis * 2, LAST_DELAY_MILLIS)));
		});
	}

}
