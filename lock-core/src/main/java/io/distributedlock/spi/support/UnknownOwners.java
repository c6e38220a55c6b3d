package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes unknown owners: the server may have granted them a lock, and the answer was
 * lost. Tries until the server has answered. A server that was paused may carry out the
 * lost request after the removal, so an owner that was not there is removed a second
 * time. Thread-safe; blocks nobody.
 *
 * @since 0.1
 */
public final class UnknownOwners implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(UnknownOwners.class);

	private static final LimitedLog warnings = new LimitedLog(logger);

	/**
	 * The pause before the second try. Each further pause is twice as long, up to
	 * {@link #LAST_DELAY_MILLIS}.
	 */
	private static final long FIRST_DELAY_MILLIS = 50;

	/**
	 * The longest pause: an owner is removed within this time after an outage.
	 */
	private static final long LAST_DELAY_MILLIS = 10_000;

	/**
	 * When an owner that was not there is removed a second time: a request that was still
	 * on its way has arrived by then.
	 */
	private static final long SECOND_LOOK_MILLIS = 1000;

	/**
	 * A server that has not answered for the lease time and this long will not carry out
	 * older requests.
	 */
	private static final Duration LONGEST_STALL = Duration.ofHours(1);

	private final LongSupplier nanoTime;

	/**
	 * Runs a task after some milliseconds.
	 */
	private final ObjLongConsumer<Runnable> delay;

	private volatile boolean closed;

	/**
	 * Create an object that removes no owner yet.
	 */
	public UnknownOwners() {
		this(System::nanoTime, (task, millis) -> DelayedTasks.after(Duration.ofMillis(millis)).execute(task));
	}

	/**
	 * Create one with another clock.
	 */
	UnknownOwners(LongSupplier nanoTime, ObjLongConsumer<Runnable> delay) {
		this.nanoTime = nanoTime;
		this.delay = delay;
	}

	/**
	 * Remove an owner.
	 * @param key the key, for the log
	 * @param leaseTime how long the owner may have the lock
	 * @param release removes the owner on the server; completes with {@code true} if it
	 * was there; may be called several times
	 * @return completes after the first try, whatever its answer; never fails
	 */
	public CompletionStage<?> remove(String key, Duration leaseTime, Supplier<CompletionStage<Boolean>> release) {
		logger.debug("An attempt at lock '{}' was not granted. Its owner is removed, since the server may have set it",
				key);
		long giveUpAtNanos = this.nanoTime.getAsLong() + leaseTime.plus(LONGEST_STALL).toNanos();
		return attempt(key, giveUpAtNanos, release, FIRST_DELAY_MILLIS, false);
	}

	/**
	 * Stop all removals. Owners that are left lose the lock when their lease expires.
	 */
	@Override
	public void close() {
		this.closed = true;
	}

	/**
	 * Try to remove an owner.
	 * @param delayMillis when to try again after a failure
	 * @param secondLook whether the owner was not there before
	 */
	private CompletionStage<?> attempt(String key, long giveUpAtNanos, Supplier<CompletionStage<Boolean>> release,
			long delayMillis, boolean secondLook) {
		CompletionStage<Boolean> answer;
		try {
			answer = Objects.requireNonNull(release.get(), "a release was answered with no stage");
		}
		catch (Throwable ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		return answer.handle((removed, failure) -> {
			if (failure != null && this.nanoTime.getAsLong() - giveUpAtNanos >= 0) {
				Failures.log(warnings::warn,
						"The owner of lock '{}' whose answer was lost could not be removed; its lease expires by itself",
						key, failure);
			}
			else if (failure != null) {
				long next = Math.min(delayMillis * 2, LAST_DELAY_MILLIS);
				later(delayMillis, () -> attempt(key, giveUpAtNanos, release, next, secondLook));
			}
			else if (!Boolean.TRUE.equals(removed) && !secondLook) {
				later(SECOND_LOOK_MILLIS, () -> attempt(key, giveUpAtNanos, release, delayMillis, true));
			}
			return true;
		});
	}

	private void later(long millis, Runnable step) {
		this.delay.accept(() -> {
			if (!this.closed) {
				step.run();
			}
		}, millis);
	}

}
