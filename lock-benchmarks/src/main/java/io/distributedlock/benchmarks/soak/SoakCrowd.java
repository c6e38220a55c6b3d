package io.distributedlock.benchmarks.soak;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

/**
 * Acquires locks on a million keys, many of them at the same time, and never closes some
 * of them.
 */
final class SoakCrowd implements Runnable {

	private static final int KEYS = 1_000_000;

	private static final int AT_A_TIME = 32;

	private final LockTemplate template;

	private final SoakTally tally;

	private final BooleanSupplier over;

	private final Semaphore room = new Semaphore(AT_A_TIME);

	SoakCrowd(LockTemplate template, SoakTally tally, BooleanSupplier over) {
		this.template = template;
		this.tally = tally;
		this.over = over;
	}

	@Override
	public void run() {
		while (!this.over.getAsBoolean()) {
			try {
				if (this.room.tryAcquire(100, TimeUnit.MILLISECONDS)) {
					one().whenComplete((ignored, failure) -> this.room.release());
				}
			}
			catch (InterruptedException ex) {
				return;
			}
			catch (RuntimeException ex) {
				this.room.release();
				this.tally.failed(ex);
			}
		}
	}

	/**
	 * Wait until every call has ended.
	 * @return whether all have ended within a minute
	 */
	boolean awaitEnd() throws InterruptedException {
		return this.room.tryAcquire(AT_A_TIME, 1, TimeUnit.MINUTES);
	}

	private CompletableFuture<?> one() {
		int key = ThreadLocalRandom.current().nextInt(KEYS);
		boolean forget = ThreadLocalRandom.current().nextInt(200) == 0;
		LockRequest request = LockRequest.of("cold" + key).withWaitTime(Duration.ofMillis(100));
		return this.template.acquireAsync(forget ? request.withLeaseTime(Duration.ofSeconds(1)) : request)
			.thenCompose((handle) -> {
				this.tally.count("of a million keys");
				return forget ? CompletableFuture.completedFuture(null) : handle.closeAsync();
			})
			.exceptionally((failure) -> {
				this.tally.failed(failure);
				return null;
			});
	}

}
