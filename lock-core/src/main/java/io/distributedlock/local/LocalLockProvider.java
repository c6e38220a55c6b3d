package io.distributedlock.local;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
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
		this.keys.compute(LocalKey.nameOf(request), (name, current) -> {
			LocalKey key = (current != null) ? current : new LocalKey();
			key.queue().add(place);
			return key;
		});
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
		return CompletableFuture.completedFuture(holders(key).map(LocalLease::owner).toList());
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return CompletableFuture.completedFuture(holders(key).filter((lease) -> lease.id().equals(owner.id()))
			.findFirst()
			.map(this::release)
			.orElse(false));
	}

	private Stream<LocalLease> holders(String key) {
		return LocalKey.namesOf(key)
			.stream()
			.map(this.keys::get)
			.filter(Objects::nonNull)
			.flatMap((each) -> each.holders.stream())
			.filter((holder) -> !holder.isExpired());
	}

	/**
	 * Grant a lease if the key is free for it.
	 * @param place the place of the caller, {@code null} if it has none
	 * @return the lease, {@code null} if others have the key
	 */
	@Nullable LocalLease take(LeaseRequest request, @Nullable LocalPlace place) {
		AtomicReference<@Nullable LocalLease> granted = new AtomicReference<>();
		this.keys.compute(LocalKey.nameOf(request), (name, current) -> {
			LocalKey key = (current != null) ? current : new LocalKey();
			if (key.admits(request, place)) {
				LocalLease lease = new LocalLease(this, request, this.tokens.incrementAndGet());
				key.holders.add(lease);
				granted.set(lease);
				if (place != null) {
					key.queue().remove(place);
				}
			}
			return key.isUnused() ? null : key;
		});
		LocalLease lease = granted.get();
		if (lease != null && this.tokens.get() % SWEEP_INTERVAL == 0) {
			sweep();
		}
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
		for (String name : this.keys.keySet()) {
			this.keys.computeIfPresent(name, (ignored, key) -> {
				key.dropExpired();
				return key.isUnused() ? null : key;
			});
		}
	}

	/**
	 * Run an action if a lease still holds its key.
	 * @return {@code false} if it no longer does
	 */
	boolean whileHeld(LocalLease lease, Consumer<LocalKey> action) {
		boolean[] held = new boolean[1];
		this.keys.computeIfPresent(LocalKey.nameOf(lease.request()), (name, key) -> {
			key.dropExpired();
			held[0] = key.holders.contains(lease);
			if (held[0]) {
				action.accept(key);
			}
			return key.isUnused() ? null : key;
		});
		return held[0];
	}

	boolean release(LocalLease lease) {
		boolean released = whileHeld(lease, (key) -> key.holders.remove(lease));
		if (released) {
			wakeFirst(lease.request());
			this.listeners.tell(lease.request().key());
		}
		return released;
	}

	void leave(LocalPlace place) {
		this.keys.computeIfPresent(LocalKey.nameOf(place.request()), (name, key) -> {
			key.queue().remove(place);
			return key.isUnused() ? null : key;
		});
		wakeFirst(place.request());
	}

	/**
	 * Let the first place in the queue try. Called outside the map's operations.
	 */
	private void wakeFirst(LeaseRequest request) {
		LocalKey key = this.keys.get(LocalKey.nameOf(request));
		LocalPlace first = (key != null) ? key.first() : null;
		if (first != null) {
			first.lookAgain();
		}
	}

}
