package io.distributedlock.local;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.LockCapability;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases inside one JVM, without a server. For trying the library out and for
 * tests: it keeps the same promises as a server does, to those who share this object.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class LocalLockProvider implements LockProvider, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "local";

	private final ConcurrentHashMap<String, LocalLease> leases = new ConcurrentHashMap<>();

	private final ConcurrentHashMap<String, Set<Runnable>> listeners = new ConcurrentHashMap<>();

	private final AtomicLong tokens = new AtomicLong();

	/**
	 * Create a provider that shares nothing with others.
	 */
	public LocalLockProvider() {
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING, LockCapability.EXACT_EXPIRY,
				LockCapability.LOCK_DELAY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		LocalLease candidate = new LocalLease(request.key(), term);
		LocalLease owner = this.leases.compute(request.key(), (key, current) -> {
			if (current != null && !current.isExpired()) {
				return current;
			}
			candidate.token = this.tokens.incrementAndGet();
			return candidate;
		});
		return CompletableFuture.completedFuture((owner == candidate) ? candidate : null);
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		this.listeners.compute(key, (ignored, current) -> {
			Set<Runnable> all = (current != null) ? current : ConcurrentHashMap.newKeySet();
			all.add(onRelease);
			return all;
		});
		onRelease.run();
		return () -> this.listeners.computeIfPresent(key, (ignored, all) -> {
			all.remove(onRelease);
			return all.isEmpty() ? null : all;
		});
	}

	/**
	 * A lease is its own owner: only the object that is in the map may renew or release.
	 */
	private final class LocalLease implements Lease {

		private final String key;

		private final LeaseTerm firstTerm;

		private volatile long expiresAtNanos;

		private long token;

		LocalLease(String key, LeaseTerm term) {
			this.key = key;
			this.firstTerm = term;
			this.expiresAtNanos = expiry(term);
		}

		@Override
		public OptionalLong fencingToken() {
			return OptionalLong.of(this.token);
		}

		@Override
		public LeaseTerm term() {
			return this.firstTerm;
		}

		@Override
		public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
			LeaseTerm term = new LeaseTerm(System.nanoTime(), leaseTime);
			LocalLease owner = LocalLockProvider.this.leases.computeIfPresent(this.key, (ignored, current) -> {
				if (current == this && !isExpired()) {
					this.expiresAtNanos = expiry(term);
				}
				return current.isExpired() ? null : current;
			});
			return CompletableFuture.completedFuture((owner == this) ? term : null);
		}

		@Override
		public CompletionStage<Boolean> release() {
			boolean owned = !isExpired() && LocalLockProvider.this.leases.remove(this.key, this);
			if (owned) {
				LocalLockProvider.this.listeners.getOrDefault(this.key, Set.of()).forEach(Runnable::run);
			}
			else {
				LocalLockProvider.this.leases.remove(this.key, this);
			}
			return CompletableFuture.completedFuture(owned);
		}

		private boolean isExpired() {
			return this.expiresAtNanos - System.nanoTime() <= 0;
		}

		private static long expiry(LeaseTerm term) {
			return term.startNanos() + term.granted().toNanos();
		}

	}

}
