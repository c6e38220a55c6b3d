package io.distributedlock.local;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.Mutex;
import io.distributedlock.spi.support.ReleaseListeners;
import org.jspecify.annotations.Nullable;

/**
 * Grants locks of all types inside one JVM, without a server. For a first try and for
 * tests: for all templates that share this object it keeps the same promises as a server.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class LocalLockProvider implements LockProvider, LockQueue, LockOwners, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "local";

	/**
	 * After how many grants to look for leases that nobody has released.
	 */
	private static final int SWEEP_INTERVAL = 1024;

	private final Mutex changes = new Mutex();

	private final ConcurrentHashMap<String, LocalKey> keys = new ConcurrentHashMap<>();

	private final ReleaseListeners listeners = new ReleaseListeners();

	private final AtomicLong tokens = new AtomicLong();

	private final LongSupplier nanoTime;

	/**
	 * Create a provider that shares nothing with others.
	 */
	public LocalLockProvider() {
		this(System::nanoTime);
	}

	/**
	 * Create a provider with a clock of its own, for tests that put the clock forward.
	 * @param nanoTime the clock, which the template must use, too
	 */
	public LocalLockProvider(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING, LockCapability.FAIR, LockCapability.SHARED,
				LockCapability.SEMAPHORE, LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY,
				LockCapability.ANY_KEY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return CompletableFuture.completedFuture(take(request, null));
	}

	@Override
	public CompletionStage<?> ping() {
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.FAIR;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		LocalPlace place = new LocalPlace(this, request);
		this.changes.run(() -> this.keys.computeIfAbsent(LocalKey.nameOf(request), (added) -> new LocalKey())
			.queue()
			.add(place));
		place.lookAgain();
		return place;
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		Subscription subscription = this.listeners.add(key, onRelease);
		onRelease.run();
		return subscription;
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return CompletableFuture.completedFuture(holders(key).stream().map(LocalLease::owner).toList());
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return CompletableFuture.completedFuture(holders(key).stream()
			.filter((lease) -> lease.id().equals(owner.id()))
			.findFirst()
			.map(this::release)
			.orElse(false));
	}

	private List<LocalLease> holders(String key) {
		return this.changes.get(() -> LocalKey.namesOf(key)
			.stream()
			.map(this.keys::get)
			.filter(Objects::nonNull)
			.flatMap((each) -> each.holders.stream())
			.filter((holder) -> !holder.isExpired())
			.toList());
	}

	/**
	 * Grant a lease if the key is free for it.
	 * @param place the place of the caller, {@code null} if it has none
	 * @return the lease, {@code null} if others have the key
	 */
	@Nullable LocalLease take(LeaseRequest request, @Nullable LocalPlace place) {
		LocalLease lease = this.changes.get(() -> grant(request, place));
		if (lease != null && this.tokens.get() % SWEEP_INTERVAL == 0) {
			sweep();
		}
		return lease;
	}

	private @Nullable LocalLease grant(LeaseRequest request, @Nullable LocalPlace place) {
		String name = LocalKey.nameOf(request);
		LocalKey known = this.keys.get(name);
		LocalKey key = (known != null) ? known : new LocalKey();
		if (!key.admits(request, place)) {
			return null;
		}
		LocalLease lease = new LocalLease(this, request, this.tokens.incrementAndGet());
		key.holders.add(lease);
		if (place != null) {
			key.queue().remove(place);
		}
		this.keys.put(name, key);
		return lease;
	}

	long nanoTime() {
		return this.nanoTime.getAsLong();
	}

	/**
	 * Return how many keys are held or waited for, or were until recently.
	 */
	int size() {
		return this.keys.size();
	}

	/**
	 * A lease that is never released expires without an event, and nobody may ask for its
	 * key again.
	 */
	private void sweep() {
		this.changes.run(() -> this.keys.values().removeIf((key) -> {
			key.dropExpired();
			return key.isUnused();
		}));
	}

	/**
	 * Let a lease run anew if it still holds its key.
	 * @return the new term, {@code null} if it no longer does
	 */
	@Nullable LeaseTerm renew(LocalLease lease, Duration leaseTime) {
		return this.changes.get(() -> {
			LocalKey key = this.keys.get(LocalKey.nameOf(lease.request()));
			boolean held = key != null && !lease.isExpired() && key.holders.contains(lease);
			return held ? lease.runFor(leaseTime) : null;
		});
	}

	boolean release(LocalLease lease) {
		boolean released = this.changes.get(() -> remove(lease));
		if (released) {
			wakeFirst(lease.request());
			this.listeners.tell(lease.request().key());
		}
		return released;
	}

	private boolean remove(LocalLease lease) {
		String name = LocalKey.nameOf(lease.request());
		LocalKey key = this.keys.get(name);
		boolean held = key != null && key.holders.remove(lease) && !lease.isExpired();
		removeUnused(name, key);
		return held;
	}

	private void removeUnused(String name, @Nullable LocalKey key) {
		if (key != null && key.isUnused()) {
			this.keys.remove(name);
		}
	}

	void leave(LocalPlace place) {
		String name = LocalKey.nameOf(place.request());
		this.changes.run(() -> {
			LocalKey key = this.keys.get(name);
			if (key != null) {
				key.queue().remove(place);
			}
			removeUnused(name, key);
		});
		wakeFirst(place.request());
	}

	/**
	 * Let the first place in the queue try. Called outside of a change.
	 */
	private void wakeFirst(LeaseRequest request) {
		LocalKey key = this.keys.get(LocalKey.nameOf(request));
		LocalPlace first = (key != null) ? key.first() : null;
		if (first != null) {
			first.lookAgain();
		}
	}

}
