package io.distributedlock.test.locks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.clock.AdjustableClock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the leases of one provider in memory, and does with them what a test wants.
 */
final class TestLockProvider implements LockProvider, LockQueue, LockOwners, ReleaseSignal {

	private static final Duration LONG = Duration.ofDays(100 * 365L);

	private final Set<TestLease> leases = ConcurrentHashMap.newKeySet();

	private final Set<TestPlace> places = ConcurrentHashMap.newKeySet();

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	/**
	 * The full keys that another node holds.
	 */
	private final Set<String> contended = ConcurrentHashMap.newKeySet();

	private final ConcurrentLinkedQueue<String> acquired = new ConcurrentLinkedQueue<>();

	private final String name;

	private final Set<LockCapability> capabilities;

	private final LeaseLimits limits;

	private final AdjustableClock clock;

	private final LocalLockProvider local;

	private volatile boolean down;

	TestLockProvider(String name, Set<LockCapability> capabilities, LeaseLimits limits, AdjustableClock clock) {
		this.name = name;
		this.capabilities = Set.copyOf(capabilities);
		this.limits = limits;
		this.clock = clock;
		this.local = new LocalLockProvider(clock::nanoTime);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return this.capabilities;
	}

	@Override
	public LeaseLimits leaseLimits() {
		return this.limits;
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		if (this.down) {
			return CompletableFuture.failedFuture(outage());
		}
		// the other node has all permits, too
		if (request.type() == LockType.SEMAPHORE && this.contended.contains(request.key())) {
			return CompletableFuture.completedFuture(null);
		}
		return this.local.tryAcquire(request).thenApply((lease) -> (lease != null) ? granted(request, lease) : null);
	}

	@Override
	public boolean queues(LockType type) {
		return this.local.queues(type);
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		if (this.down) {
			return new LostPlace(outage());
		}
		TestPlace place = new TestPlace(this, request, this.local.enqueue(request));
		this.places.add(place);
		place.granted().whenComplete((lease, failure) -> this.places.remove(place));
		return place;
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		this.listeners.add(onRelease);
		Subscription subscription = this.local.listen(key, onRelease);
		return () -> {
			this.listeners.remove(onRelease);
			subscription.close();
		};
	}

	@Override
	public CompletionStage<?> ping() {
		return this.down ? CompletableFuture.failedFuture(outage()) : CompletableFuture.completedFuture("in memory");
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.down ? CompletableFuture.failedFuture(outage())
				: this.local.owners(key).thenApply((owners) -> owners.stream().map(this::shown).toList());
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		if (this.down) {
			return CompletableFuture.failedFuture(outage());
		}
		held().stream()
			.filter((lease) -> lease.key().equals(key) && lease.ownerId().equals(Optional.of(owner.id())))
			.forEach(TestLease::revoked);
		return this.local.revoke(key, owner);
	}

	private LockOwner shown(LockOwner owner) {
		return this.capabilities.contains(LockCapability.FENCING) ? owner
				: new LockOwner(owner.id(), owner.type(), OptionalLong.empty(), owner.remaining());
	}

	TestLease granted(LeaseRequest request, Lease lease) {
		TestLease granted = new TestLease(this, request.key(), lease);
		this.leases.add(granted);
		this.acquired.add(request.key());
		return granted;
	}

	/**
	 * Let another node hold a key.
	 * @return releases it; {@code null} if it is not free
	 */
	@Nullable Runnable contend(String key) {
		// permits are apart from the other types
		if (held().stream().anyMatch((lease) -> lease.key().equals(key))) {
			return null;
		}
		LeaseRequest request = new LeaseRequest(key, LONG, LockType.EXCLUSIVE);
		Lease lease = this.local.tryAcquire(request).toCompletableFuture().join();
		if (lease == null) {
			return null;
		}
		this.contended.add(key);
		return () -> {
			this.contended.remove(key);
			lease.release();
		};
	}

	/**
	 * Let all further questions fail, or be answered again. Calls that wait are told, so
	 * that they notice at once.
	 */
	void setDown(boolean down) {
		this.down = down;
		this.places.forEach(TestPlace::lookAgain);
		this.listeners.forEach(Runnable::run);
	}

	boolean isDown() {
		return this.down;
	}

	/**
	 * Return the failure of a question. The engine asks again only after a failure that
	 * may pass soon; this one lasts until the test ends it.
	 */
	BackendException outage() {
		return new BackendException("the test has made the provider unavailable", false, null);
	}

	List<TestLease> held() {
		this.leases.removeIf((lease) -> !lease.isHeld());
		return List.copyOf(this.leases);
	}

	List<String> acquired() {
		return List.copyOf(this.acquired);
	}

	void forget() {
		this.acquired.clear();
	}

	void remove(TestLease lease) {
		this.leases.remove(lease);
	}

	AdjustableClock clock() {
		return this.clock;
	}

}
