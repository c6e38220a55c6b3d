package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.UnknownOwners;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonFencedLock;
import org.redisson.RedissonLock;
import org.redisson.api.RBatch;
import org.redisson.api.RLock;
import org.redisson.api.RScript;
import org.redisson.api.RScriptAsync;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Grants leases on Redis by Redisson's fenced lock, so that code which calls
 * {@code redissonClient.getLock(sameName)} and code which uses this library exclude each
 * other. Works on whatever the client is set up for: a single server, Sentinel, Cluster,
 * replicated. Thread-safe.
 * <p>
 * Redisson is given an explicit lease and an explicit owner, so its watchdog is never
 * started: there is one place that keeps leases alive, and it is not here. A lock and its
 * release cost three commands, as by hand. Fair locks, read-write locks and semaphores
 * are Redisson's too.
 *
 * @since 0.1
 */
public final class RedissonLockProvider implements LockProvider, LockQueue, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redisson";

	/**
	 * Redis counts a key's time to live from the epoch: a lease near
	 * {@link Long#MAX_VALUE} would overflow after the lock is written, and leave a key
	 * without an expiry.
	 */
	private static final Duration MAX_LEASE = Duration.ofDays(3650);

	private final RedissonClient client;

	private final RedissonServer server;

	private final RedissonReleases releases;

	private final FirstContact firstContact = new FirstContact();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	private final RedissonSharedLocks sharedLocks = new RedissonSharedLocks(this);

	private final RedissonSemaphores semaphores = new RedissonSemaphores(this);

	/**
	 * Create a provider.
	 * @param client the client, which stays the caller's to shut down
	 */
	public RedissonLockProvider(RedissonClient client) {
		this.client = client;
		this.server = new RedissonServer(client);
		this.releases = new RedissonReleases(this.server);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING, LockCapability.FAIR, LockCapability.SHARED,
				LockCapability.SEMAPHORE, LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		Duration leaseTime = request.leaseTime();
		if (leaseTime.toMillis() < 1 || leaseTime.compareTo(MAX_LEASE) > 0) {
			throw new IllegalArgumentException(
					"Lock '%s': Redis cannot keep a lease of %s, only one from 1 ms to %d days".formatted(request.key(),
							leaseTime, MAX_LEASE.toDays()));
		}
		return this.firstContact.<@Nullable Lease>call(() -> switch (request.type()) {
			case EXCLUSIVE -> tryAcquireFenced(request);
			case FAIR -> new RedissonFairPlace(this, request).tryOnce();
			case READ, WRITE -> this.sharedLocks.tryAcquire(request);
			case SEMAPHORE -> this.semaphores.tryAcquire(request);
		});
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.FAIR;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		RedissonFairPlace place = new RedissonFairPlace(this, request);
		place.enqueue();
		return place;
	}

	@Override
	public List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		RBatch batch = this.client.createBatch();
		RScriptAsync script = batch.getScript(StringCodec.INSTANCE);
		long sentAt = System.nanoTime();
		List<CompletionStage<@Nullable LeaseTerm>> answers = new ArrayList<>(renewals.size());
		for (LeaseRenewal renewal : renewals) {
			RedissonLease lease = (RedissonLease) renewal.lease();
			answers.add(renew(script, lease, renewal.leaseTime(), sentAt));
		}
		batch.executeAsync();
		return answers;
	}

	CompletionStage<@Nullable LeaseTerm> renew(RedissonLease lease, Duration leaseTime) {
		return renew(scripts(), lease, leaseTime, System.nanoTime());
	}

	CompletionStage<Boolean> release(RLock lock, long owner) {
		return lock.unlockAsync(owner).handle((ignored, failure) -> {
			if (failure == null) {
				return true;
			}
			if (RedissonErrors.isNotOwner(failure)) {
				return false;
			}
			throw RedissonErrors.translate(failure);
		});
	}

	/**
	 * Say what a failed attempt means, and have its owner removed if it may have the
	 * lock.
	 */
	BackendException failed(LeaseRequest request, Throwable failure, Supplier<CompletionStage<Boolean>> removal) {
		if (RedissonErrors.mayHaveBeenExecuted(failure)) {
			this.unknownOwners.remove(request.key(), request.leaseTime(), removal);
		}
		return RedissonErrors.translate(failure);
	}

	RedissonServer server() {
		return this.server;
	}

	FirstContact firstContact() {
		return this.firstContact;
	}

	RedissonClient client() {
		return this.client;
	}

	RScript scripts() {
		return this.client.getScript(StringCodec.INSTANCE);
	}

	UnknownOwners unknownOwners() {
		return this.unknownOwners;
	}

	/**
	 * Return the name of an owner in the hash of a lock, as Redisson writes it.
	 */
	String field(long owner) {
		return this.client.getId() + ":" + owner;
	}

	String newOwnerField() {
		return field(newOwner());
	}

	RedissonLock fairLock(String key) {
		return lockOf(RedissonLock.class, this.client.getFairLock(key));
	}

	/**
	 * Return the name of the counter that Redisson's fenced lock counts with.
	 */
	static String tokenKey(String key) {
		return "redisson_lock_token:{" + key + "}";
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.releases.listen(key, onRelease);
	}

	@Override
	public void close() {
		this.unknownOwners.close();
		this.firstContact.close();
	}

	private CompletionStage<@Nullable Lease> tryAcquireFenced(LeaseRequest request) {
		String key = request.key();
		RedissonFencedLock lock = lockOf(RedissonFencedLock.class, this.client.getFencedLock(key));
		long owner = newOwner();
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		CompletionStage<Long> answer = lock.tryLockAndGetTokenAsync(0, request.leaseTime().toMillis(),
				TimeUnit.MILLISECONDS, owner);
		return answer.handle((token, failure) -> {
			if (failure != null) {
				throw failed(request, failure, () -> release(lock, owner));
			}
			return (token != null) ? new RedissonLease(this, key, OptionalLong.of(token), term,
					(scripts, leaseTime) -> RedissonScript.RENEW
						.run(scripts, List.of(key), field(owner), Long.toString(leaseTime.toMillis()))
						.thenApply((renewed) -> renewed == 1),
					() -> release(lock, owner)) : null;
		});
	}

	private static CompletionStage<@Nullable LeaseTerm> renew(RScriptAsync scripts, RedissonLease lease,
			Duration leaseTime, long sentAt) {
		return lease.renewal().send(scripts, leaseTime).handle((renewed, failure) -> {
			if (failure != null) {
				throw RedissonErrors.translate(failure);
			}
			return renewed ? new LeaseTerm(sentAt, leaseTime) : null;
		});
	}

	private <L extends RLock> L lockOf(Class<L> type, RLock lock) {
		// the interfaces cannot name the owner, which must not be a thread
		if (type.isInstance(lock)) {
			return type.cast(lock);
		}
		throw new IllegalStateException(
				"The RedissonClient %s gives locks of a class that cannot be told its owner. Use the client of the redisson artifact itself."
					.formatted(this.client.getClass().getName()));
	}

	/**
	 * Make an owner that no other has. Redisson takes a thread id for the owner; thread
	 * ids are positive, so no thread that uses the same client by hand can be taken for
	 * it.
	 */
	static long newOwner() {
		return ThreadLocalRandom.current().nextLong(Long.MIN_VALUE, 0);
	}

}
