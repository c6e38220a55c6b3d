package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.LockCapability;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.UnknownOwners;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonFencedLock;
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
 * release cost three commands, as by hand.
 *
 * @since 0.1
 */
public final class RedissonLockProvider implements LockProvider, ReleaseSignal {

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

	/**
	 * Lets the lock run anew if this owner has it. The layout is that of Redisson's own
	 * renewal: a hash with the owner as field.
	 */
	private static final String RENEW = "if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then "
			+ "return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0";

	private final RedissonClient client;

	private final RedissonReleases releases;

	private final UnknownOwners unknownOwners = new UnknownOwners();

	/**
	 * Create a provider.
	 * @param client the client, which stays the caller's to shut down
	 */
	public RedissonLockProvider(RedissonClient client) {
		this.client = client;
		this.releases = new RedissonReleases(client);
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
		Duration leaseTime = request.leaseTime();
		if (leaseTime.toMillis() < 1 || leaseTime.compareTo(MAX_LEASE) > 0) {
			throw new IllegalArgumentException(
					"Lock '%s': Redis cannot keep a lease of %s, only one from 1 ms to %d days".formatted(request.key(),
							leaseTime, MAX_LEASE.toDays()));
		}
		RedissonFencedLock lock = fencedLock(request.key());
		long owner = newOwner();
		long sentAt = System.nanoTime();
		CompletionStage<Long> answer = lock.tryLockAndGetTokenAsync(0, leaseTime.toMillis(), TimeUnit.MILLISECONDS,
				owner);
		return answer.handle((token, failure) -> {
			if (failure != null) {
				if (RedissonErrors.mayHaveBeenExecuted(failure)) {
					this.unknownOwners.remove(request.key(), leaseTime, () -> release(lock, owner));
				}
				throw RedissonErrors.translate(failure);
			}
			return (token != null)
					? new RedissonLease(this, request.key(), lock, owner, token, new LeaseTerm(sentAt, leaseTime))
					: null;
		});
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
		return renew(this.client.getScript(StringCodec.INSTANCE), lease, leaseTime, System.nanoTime());
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

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.releases.listen(key, onRelease);
	}

	@Override
	public void close() {
		this.unknownOwners.close();
	}

	private CompletionStage<@Nullable LeaseTerm> renew(RScriptAsync script, RedissonLease lease, Duration leaseTime,
			long sentAt) {
		CompletionStage<Long> answer = script.evalAsync(RScript.Mode.READ_WRITE, RENEW, RScript.ReturnType.LONG,
				List.of(lease.key()), this.client.getId() + ":" + lease.owner(), Long.toString(leaseTime.toMillis()));
		CompletableFuture<@Nullable LeaseTerm> renewed = new CompletableFuture<>();
		answer.whenComplete((held, failure) -> {
			if (failure != null) {
				renewed.completeExceptionally(RedissonErrors.translate(failure));
			}
			else {
				renewed.complete((held == 1) ? new LeaseTerm(sentAt, leaseTime) : null);
			}
		});
		return renewed;
	}

	private RedissonFencedLock fencedLock(String key) {
		// the interface cannot name the owner, which must not be a thread
		if (this.client.getFencedLock(key) instanceof RedissonFencedLock lock) {
			return lock;
		}
		throw new IllegalStateException(
				"The RedissonClient %s gives fenced locks of a class that cannot be told its owner. Use the client of the redisson artifact itself."
					.formatted(this.client.getClass().getName()));
	}

	/**
	 * Make an owner that no other has. Redisson takes a thread id for the owner; thread
	 * ids are positive, so no thread that uses the same client by hand can be taken for
	 * it.
	 */
	private static long newOwner() {
		return ThreadLocalRandom.current().nextLong(Long.MIN_VALUE, 0);
	}

}
