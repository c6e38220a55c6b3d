package io.distributedlock.redis;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.AskingPlace;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases on Redis through Lettuce, after <a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed
 * Locks with Redis</a>: a free key is set to the owner with an expiry, and scripts
 * compare the owner before they renew or release. Works on a single server, Sentinel and
 * Cluster, and on servers with the same protocol. Acquisition and release cost one round
 * trip each. Thread-safe.
 * <p>
 * The counter of fencing tokens of a key {@code k} is {@code {k}:token}, in the same hash
 * slot. It expires a day after its last use; a new counter starts at the server's clock
 * in microseconds. A release is published on the channel {@code k}. Readers share the key
 * {@code k} as a set, and the owners of a semaphore's permits are the set
 * {@code {k}:permits}. The queue of a fair lock is {@code {k}:queue} and
 * {@code {k}:alive}. All keys except the counter expire with the last lease or the last
 * waiter.
 *
 * @since 0.1
 */
public final class RedisLockProvider implements LockProvider, LockQueue, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redis";

	/**
	 * A counter that has expired starts again at the server's clock: the longer it stays,
	 * the less a clock that was set back matters.
	 */
	private static final String COUNTER_TTL_MILLIS = Long.toString(Duration.ofDays(1).toMillis());

	private final RedisLink link;

	private final RedisReleases releases;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	/**
	 * Create a provider on a single server or on a Sentinel.
	 * @param client the client, created with the address of the server; the caller shuts
	 * it down
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public RedisLockProvider(RedisClient client, Duration commandTimeout) {
		this((AbstractRedisClient) client, commandTimeout);
	}

	/**
	 * Create a provider on a cluster.
	 * @param client the client, which the caller shuts down
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public RedisLockProvider(RedisClusterClient client, Duration commandTimeout) {
		this((AbstractRedisClient) client, commandTimeout);
	}

	private RedisLockProvider(AbstractRedisClient client, Duration commandTimeout) {
		this.link = new RedisLink(client, commandTimeout);
		this.releases = new RedisReleases(this.link);
	}

	/**
	 * Check in the background whether the user of Redis has the rights that locks need,
	 * and log which are missing. Without the right to subscribe, waiting calls poll.
	 * Without the right to run scripts, there are no locks.
	 * @param keyPrefix the prefix of all keys
	 */
	public void checkAccess(String keyPrefix) {
		RedisAccessCheck.run(this, this.link, keyPrefix);
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
		RedisLease candidate = candidate(request, this.owners.next());
		RedisCall call = acquire(candidate, request).whileWanted(() -> request.remainingNanos() > 0);
		return this.link.send(call).handle((token, failure) -> {
			if (failure != null) {
				if (!RedisErrors.isRefusal(failure)) {
					this.unknownOwners.remove(request.key(), request.leaseTime(), () -> release(candidate, true));
				}
				throw RedisErrors.translate(failure);
			}
			return (token != 0) ? granted(candidate, request, token) : null;
		});
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.FAIR;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		String owner = this.owners.next();
		AtomicBoolean left = new AtomicBoolean();
		return AskingPlace.take(() -> acquireInTurn(request, owner, () -> !left.get()), () -> {
			left.set(true);
			this.unknownOwners.remove(request.key(), request.leaseTime(), () -> leaveQueue(request.key(), owner));
		}, (onMessage) -> listen(request.key(), onMessage));
	}

	/**
	 * Ask for the lock for an owner in the queue. The first question joins the queue.
	 * @return completes with the lease, {@code null} if others are in front
	 */
	private CompletionStage<@Nullable Lease> acquireInTurn(LeaseRequest request, String owner,
			BooleanSupplier isWaiting) {
		RedisLease candidate = candidate(request, owner);
		RedisCall call = acquireInTurn(candidate, request, request.leaseTime())
			.whileWanted(() -> isWaiting.getAsBoolean() && request.remainingNanos() > 0);
		return this.link.send(call).handle((token, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(failure);
			}
			return (token != 0) ? granted(candidate, request, token) : null;
		});
	}

	private CompletionStage<Boolean> leaveQueue(String key, String owner) {
		String[] keys = { key, RedisKeys.queue(key), RedisKeys.alive(key) };
		return this.link.send(RedisCall.of(RedisScript.LEAVE_QUEUE, keys, owner).asRemoval()).thenApply((left) -> true);
	}

	/**
	 * Release for an owner that has no lease: it changes nothing, and needs the rights of
	 * any release.
	 */
	CompletionStage<Boolean> releaseUnknown(String key) {
		return release(candidate(new LeaseRequest(key, Duration.ofMillis(1), LockType.EXCLUSIVE), this.owners.next()));
	}

	CompletionStage<@Nullable LeaseTerm> renew(RedisLease lease, Duration leaseTime) {
		long sentAt = System.nanoTime();
		RedisScript script = lease.shared() ? RedisScript.RENEW_SHARE : RedisScript.RENEW;
		RedisCall call = RedisCall.of(script, new String[] { lease.redisKey() }, lease.owner(), millis(leaseTime));
		return this.link.send(call).handle((renewed, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(failure);
			}
			return (renewed == 1) ? new LeaseTerm(sentAt, leaseTime) : null;
		});
	}

	CompletionStage<Boolean> release(RedisLease lease) {
		return release(lease, false);
	}

	/**
	 * Release a lease.
	 * @param unknown whether the answer to the attempt was lost. The owner may have the
	 * lease or may get it later, so the release must follow the attempt
	 */
	private CompletionStage<Boolean> release(RedisLease lease, boolean unknown) {
		String[] keys = { lease.redisKey() };
		RedisCall call = lease.shared() ? RedisCall.of(RedisScript.RELEASE_SHARE, keys, lease.owner(), lease.channel())
				: RedisCall.of(RedisScript.RELEASE, keys, lease.owner());
		return this.link.send(unknown ? call.asRemoval() : call).handle((released, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(failure);
			}
			return released == 1;
		});
	}

	private RedisLease candidate(LeaseRequest request, String owner) {
		boolean permit = request.type() == LockType.SEMAPHORE;
		return new RedisLease(this, permit ? RedisKeys.permits(request.key()) : request.key(), request.key(), owner,
				permit || request.type() == LockType.READ, OptionalLong.empty(),
				new LeaseTerm(System.nanoTime(), request.leaseTime()));
	}

	private static RedisLease granted(RedisLease candidate, LeaseRequest request, long token) {
		// several permits are held at the same time, so the latest token could not be the
		// only valid one
		return (request.type() == LockType.SEMAPHORE) ? candidate
				: new RedisLease(candidate.provider(), candidate.redisKey(), candidate.channel(), candidate.owner(),
						candidate.shared(), OptionalLong.of(token), candidate.term());
	}

	private static RedisCall acquire(RedisLease candidate, LeaseRequest request) {
		if (request.type() == LockType.FAIR) {
			return acquireInTurn(candidate, request, Duration.ZERO);
		}
		String[] keys = { candidate.redisKey(), RedisKeys.counter(request.key()) };
		String lease = millis(request.leaseTime());
		if (!candidate.shared()) {
			return RedisCall.of(RedisScript.ACQUIRE, keys, candidate.owner(), lease, COUNTER_TTL_MILLIS);
		}
		String limit = (request.type() == LockType.SEMAPHORE) ? Integer.toString(request.permits()) : "0";
		return RedisCall.of(RedisScript.ACQUIRE_SHARE, keys, candidate.owner(), lease, COUNTER_TTL_MILLIS, limit);
	}

	private static RedisCall acquireInTurn(RedisLease candidate, LeaseRequest request, Duration alive) {
		String key = request.key();
		String[] keys = { key, RedisKeys.counter(key), RedisKeys.queue(key), RedisKeys.alive(key) };
		return RedisCall.of(RedisScript.ACQUIRE_IN_TURN, keys, candidate.owner(), millis(request.leaseTime()),
				COUNTER_TTL_MILLIS, millis(alive));
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.releases.listen(key, onRelease);
	}

	@Override
	public void close() {
		this.unknownOwners.close();
		this.link.close();
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
