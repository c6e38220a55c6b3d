package io.distributedlock.benchmarks.soak;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.soak.SoakLocks.HotLock;
import io.distributedlock.benchmarks.soak.SoakLocks.HotType;
import io.distributedlock.spi.support.Failures;

/**
 * A thread that acquires hot locks in many ways: briefly, for longer than the lease, with
 * and without waiting, several together, as a future that is cancelled, interrupted while
 * it waits, and without ever closing the handle.
 */
final class SoakWorker implements Runnable {

	private static final Duration SHORT_LEASE = Duration.ofSeconds(1);

	private static final String FAILING_WORK = "work that fails";

	private final int number;

	private final LockTemplate template;

	private final List<HotLock> locks;

	private final SoakLedger ledger;

	private final SoakTally tally;

	private final BooleanSupplier over;

	SoakWorker(int number, LockTemplate template, List<HotLock> locks, SoakLedger ledger, SoakTally tally,
			BooleanSupplier over) {
		this.number = number;
		this.template = template;
		this.locks = locks;
		this.ledger = ledger;
		this.tally = tally;
		this.over = over;
	}

	@Override
	public void run() {
		while (!this.over.getAsBoolean()) {
			try {
				step();
			}
			catch (Throwable ex) {
				this.tally.failed(ex);
			}
			// clear an interrupt that came too late for this step
			if (Thread.interrupted()) {
				this.tally.count("interrupts");
			}
		}
	}

	private void step() throws Exception {
		HotLock lock = this.locks.get(random(this.locks.size()));
		boolean shared = lock.type() == HotType.READ_WRITE && random(4) != 0;
		LockRequest request = lock.request(shared).withWaitTime(Duration.ofMillis(random(1000)));
		switch (random(20)) {
			case 0 -> cancelled(request);
			case 1 -> forgotten(request);
			case 2 -> tooLong(lock, shared, request.withLeaseTime(SHORT_LEASE));
			case 3 -> attempt(lock, shared, request);
			case 4 -> several();
			case 5 -> asynchronously(request);
			case 6 -> view(request);
			case 7 -> extended(lock, shared, request.withLeaseTime(SHORT_LEASE));
			default -> shortly(lock, shared, request);
		}
	}

	private void shortly(HotLock lock, boolean shared, LockRequest request) {
		try (LockHandle handle = this.template.acquire(request)) {
			work(lock, shared, handle, Duration.ofMillis(random(4)));
			if (random(8) == 0 && lock.type() != HotType.SEMAPHORE) {
				this.template.acquire(request).close();
				this.tally.count("re-entered");
			}
		}
	}

	private void attempt(HotLock lock, boolean shared, LockRequest request) {
		Optional<LockHandle> attempt = this.template.tryAcquire(request.withWaitTime(Duration.ZERO));
		attempt.ifPresent((handle) -> {
			try (handle) {
				work(lock, shared, handle, Duration.ofMillis(1));
			}
		});
	}

	/**
	 * Work for longer than the lease, so that it expires while the work goes on.
	 */
	private void tooLong(HotLock lock, boolean shared, LockRequest request) {
		try (LockHandle handle = this.template.acquire(request)) {
			CompletableFuture<String> lossReported = new CompletableFuture<>();
			handle.onLost((loss) -> lossReported.complete("lost"));
			work(lock, shared, handle, SHORT_LEASE.plusMillis(random(300)));
			if (handle.isValid()) {
				return;
			}
			this.tally.count(lossReported.completeOnTimeout("loss was not reported", 30, TimeUnit.SECONDS).join());
		}
	}

	private void extended(HotLock lock, boolean shared, LockRequest request) {
		try (LockHandle handle = this.template.acquire(request)) {
			handle.extend(SHORT_LEASE.multipliedBy(2));
			work(lock, shared, handle, Duration.ofMillis(random(4)));
			this.tally.count("extended");
		}
	}

	private void several() {
		HotLock first = this.locks.get(random(this.locks.size()));
		HotLock second = this.locks.get(random(this.locks.size()));
		if (first.number() == second.number()) {
			return;
		}
		LockRequest both = first.request(false).and(second.request(false)).withWaitTime(Duration.ofSeconds(1));
		try (LockHandle handle = this.template.acquire(both)) {
			for (HotLock lock : List.of(first, second)) {
				String key = lock.request(false).key();
				handle.parts()
					.stream()
					.filter((part) -> part.key().endsWith(":" + key))
					.forEach((part) -> work(lock, false, part, Duration.ZERO));
			}
			this.tally.count("several together");
		}
	}

	private void cancelled(LockRequest request) {
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(request);
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random(3000)));
		if (waiting.cancel(random(2) == 0)) {
			this.tally.count("cancelled");
		}
		else {
			closeWhenDone(waiting);
		}
	}

	/**
	 * Acquire and never close the handle, so that the lease expires.
	 */
	private void forgotten(LockRequest request) {
		// as a future, because no thread can re-enter it
		this.template.acquireAsync(request.withLeaseTime(SHORT_LEASE)).whenComplete((handle, failure) -> {
			if (handle != null) {
				this.tally.count("never closed");
			}
		});
	}

	private void asynchronously(LockRequest request) {
		CompletableFuture<String> done = this.template.executeAsync(request, () -> {
			if (random(3) == 0) {
				throw new IllegalStateException(FAILING_WORK);
			}
			return CompletableFuture.completedFuture("done");
		});
		try {
			this.tally.count("work as a future: " + done.get(60, TimeUnit.SECONDS));
		}
		catch (InterruptedException ex) {
			done.cancel(false);
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			if (!FAILING_WORK.equals(Failures.unwrap(ex).getMessage())) {
				this.tally.failed(ex);
			}
		}
	}

	private void view(LockRequest request) throws InterruptedException {
		Lock view = this.template.asLock(request);
		try {
			if (view.tryLock(random(500), TimeUnit.MILLISECONDS)) {
				this.tally.count("lock views");
				view.unlock();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void closeWhenDone(CompletableFuture<LockHandle> waiting) {
		waiting.whenComplete((handle, failure) -> {
			if (handle != null) {
				handle.closeAsync();
			}
			else if (!(failure instanceof CancellationException)) {
				this.tally.failed(failure);
			}
		});
	}

	private void work(HotLock lock, boolean shared, LockHandle handle, Duration time) {
		SoakLedger.Hold hold = this.ledger.enter(lock.number(), this.number, lock.permits(), shared, handle);
		long end = System.nanoTime() + time.toNanos();
		while (System.nanoTime() - end < 0 && hold.touch()) {
			LockSupport.parkNanos(200_000);
		}
		hold.leave();
		this.tally.count("held " + lock.type());
	}

	private static int random(int bound) {
		return ThreadLocalRandom.current().nextInt(bound);
	}

}
