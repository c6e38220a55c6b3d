package io.distributedlock.spring;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockCapability;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;

/**
 * The local provider, with a record of what it was asked for and switches for what goes
 * wrong.
 */
class RecordingProvider implements LockProvider {

	private final LocalLockProvider locks = new LocalLockProvider();

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final AtomicInteger attempts = new AtomicInteger();

	private final List<Duration> leases = new CopyOnWriteArrayList<>();

	private volatile Lease.LossSignal lossSignal = (reason) -> {
	};

	private boolean failReleases;

	private boolean contended;

	private boolean down;

	List<String> events() {
		return this.events;
	}

	void awaitEvents(int count) {
		Patience.await().until(() -> this.events.size() == count);
	}

	List<String> keys() {
		return this.events.stream()
			.filter((event) -> event.startsWith("acquire "))
			.map((event) -> event.substring("acquire ".length()))
			.toList();
	}

	List<Duration> leases() {
		return this.leases;
	}

	/**
	 * Return the number of attempts.
	 */
	int attempts() {
		return this.attempts.get();
	}

	void record(String event) {
		this.events.add(event);
	}

	/**
	 * Let the lease that was granted last end, as if its session had.
	 */
	void loseLast() {
		this.lossSignal.lost("the session ended");
	}

	void failReleases() {
		this.failReleases = true;
	}

	void contended(boolean contended) {
		this.contended = contended;
	}

	void down(boolean down) {
		this.down = down;
	}

	/**
	 * Shorten the name of a method to its class and itself, for tests that say something
	 * else.
	 */
	static String shortened(String text) {
		return text.replaceAll("[\\w.]+\\.(?:\\w+\\$)*(\\w+\\.\\w+)\\([^)]*\\)", "$1");
	}

	/**
	 * Return how a key is recorded.
	 */
	String shown(String key) {
		return shortened(key);
	}

	@Override
	public String name() {
		return "recording";
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.LOCK_DELAY);
	}

	@Override
	public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
		this.attempts.incrementAndGet();
		if (this.down) {
			return CompletableFuture.failedFuture(new BackendException("unplugged", true, null));
		}
		if (this.contended) {
			return CompletableFuture.completedFuture(null);
		}
		return this.locks.tryAcquire(request).thenApply((lease) -> {
			if (lease == null) {
				return null;
			}
			record("acquire " + shown(request.key()));
			this.leases.add(request.leaseTime());
			return new RecordedLease(shown(request.key()), lease);
		});
	}

	private final class RecordedLease implements Lease {

		private final String key;

		private final Lease lease;

		private RecordedLease(String key, Lease lease) {
			this.key = key;
			this.lease = lease;
		}

		@Override
		public void onLost(LossSignal signal) {
			RecordingProvider.this.lossSignal = signal;
		}

		@Override
		public LeaseTerm term() {
			return this.lease.term();
		}

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			return this.lease.renew(leaseTime);
		}

		@Override
		public CompletionStage<Boolean> release() {
			if (RecordingProvider.this.failReleases) {
				return CompletableFuture.failedFuture(new BackendException("unplugged", false, null));
			}
			record("release " + this.key);
			return this.lease.release();
		}

	}

}
