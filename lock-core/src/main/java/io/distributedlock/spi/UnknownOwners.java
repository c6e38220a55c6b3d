package io.distributedlock.spi;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * For providers: removes owners that nobody knows of, since a server may have granted
 * them the lock in an answer that was lost. Tries until the server says that the owner is
 * gone, at most as long as the lease would have lasted. Thread-safe; blocks nobody.
 *
 * @since 0.1
 */
public final class UnknownOwners implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(UnknownOwners.class);

	private static final long FIRST_DELAY_MILLIS = 50;

	private static final long LAST_DELAY_MILLIS = 2000;

	private volatile boolean closed;

	/**
	 * Create an object that removes nobody yet.
	 */
	public UnknownOwners() {
	}

	/**
	 * Remove an owner.
	 * @param key the key, for the log
	 * @param leaseTime how long the owner may have the lock
	 * @param release removes it on the server; may be called again after a failure
	 */
	public void remove(String key, Duration leaseTime, Supplier<CompletionStage<Boolean>> release) {
		logger.debug(
				"The answer to an attempt at lock '{}' was lost: its owner is removed in case that it has the lock",
				key);
		tryToRemove(key, System.nanoTime() + leaseTime.toNanos(), FIRST_DELAY_MILLIS, release);
	}

	/**
	 * Try no more. What is left ends with its lease.
	 */
	@Override
	public void close() {
		this.closed = true;
	}

	private void tryToRemove(String key, long giveUpAt, long delayMillis, Supplier<CompletionStage<Boolean>> release) {
		release.get().whenComplete((removed, failure) -> {
			if (failure == null) {
				return;
			}
			if (this.closed || System.nanoTime() - giveUpAt >= 0) {
				logger.debug("The owner of lock '{}' was not removed; its lease ends by itself", key, failure);
				return;
			}
			CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS)
				.execute(() -> tryToRemove(key, giveUpAt, Math.min(delayMillis * 2, LAST_DELAY_MILLIS), release));
		});
	}

}
