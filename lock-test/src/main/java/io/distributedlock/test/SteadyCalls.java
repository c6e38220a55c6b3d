package io.distributedlock.test;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import org.jspecify.annotations.Nullable;

/**
 * Fifty calls in each second, as requests of clients come, each for a key of its own and
 * whether or not those before have ended.
 */
final class SteadyCalls implements LockListener, AutoCloseable {

	static final int EACH_SECOND = 50;

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger granted = new AtomicInteger();

	private final AtomicInteger unavailable = new AtomicInteger();

	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicInteger mostWaiting = new AtomicInteger();

	private final AtomicInteger outages = new AtomicInteger();

	private final AtomicInteger recoveries = new AtomicInteger();

	private final AtomicLong grantedAtNanos = new AtomicLong();

	private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

	private volatile @Nullable Throwable unexpected;

	/**
	 * Begin to call.
	 * @param waitTime how long each call may wait
	 */
	void start(LockTemplate template, String key, Duration waitTime) {
		this.clock.scheduleAtFixedRate(() -> {
			LockRequest request = LockRequest.of(key + this.begun.incrementAndGet()).withWaitTime(waitTime);
			this.mostWaiting.accumulateAndGet(this.waiting.incrementAndGet(), Math::max);
			template.acquireAsync(request)
				.thenCompose((handle) -> handle.closeAsync())
				.whenComplete((done, failure) -> ended(failure));
		}, 0, TimeUnit.SECONDS.toNanos(1) / EACH_SECOND, TimeUnit.NANOSECONDS);
	}

	private void ended(@Nullable Throwable failure) {
		this.waiting.decrementAndGet();
		if (failure == null) {
			this.granted.incrementAndGet();
			this.grantedAtNanos.set(System.nanoTime());
		}
		else if (failure.getCause() instanceof LockUnavailableException) {
			this.unavailable.incrementAndGet();
		}
		else {
			this.unexpected = failure;
		}
	}

	@Override
	public void on(LockEvent event) {
		if (event instanceof LockEvent.OutageBegan) {
			this.outages.incrementAndGet();
		}
		else if (event instanceof LockEvent.OutageEnded) {
			this.recoveries.incrementAndGet();
		}
	}

	/**
	 * Let no more calls begin.
	 */
	void stop() {
		this.clock.shutdownNow();
	}

	@Override
	public void close() {
		stop();
	}

	int outages() {
		return this.outages.get();
	}

	int recoveries() {
		return this.recoveries.get();
	}

	int waiting() {
		return this.waiting.get();
	}

	int mostWaiting() {
		return this.mostWaiting.get();
	}

	@Nullable Throwable unexpected() {
		return this.unexpected;
	}

	boolean isGrantedSince(long nanos) {
		return this.grantedAtNanos.get() - nanos > 0;
	}

	@Override
	public String toString() {
		return "%s calls, %s granted, %s unavailable, at most %s at a time".formatted(this.begun.get(),
				this.granted.get(), this.unavailable.get(), this.mostWaiting.get());
	}

}
