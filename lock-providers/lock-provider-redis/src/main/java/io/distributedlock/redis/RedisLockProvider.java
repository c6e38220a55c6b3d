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
 * Grants leases on Redis through Lettuce: a key that is set to the owner with an expiry
 * if nobody has it, and scripts that compare the owner to renew and to release, after
 * <a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed
 * Locks with Redis</a>. Works on one server, Sentinel and Cluster, and on what speaks the
 * same protocol. Thread-safe. A lock and its release cost one round trip each.
 * <p>
 * Beside the key {@code k} stands its counter of fencing tokens, {@code {k}:token}, in
 * the same hash slot; it expires a day after its last use, and goes on at the server's
 * clock in microseconds. A release is published on the channel {@code k}. Readers share
 * the key {@code k} as a set; the permits of a semaphore are the set {@code {k}:permits};
 * those who wait in turn are in {@code {k}:queue} and {@code {k}:alive}. All of them
 * expire with the last lease.
 *
 * @since 0.1
 */
public final class RedisLockProvider implements LockProvider, LockQueue, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redis";

	private static final String COUNTER_TTL_MILLIS = Long.toString(Duration.ofDays(1).toMillis());

	private final RedisLink link;

	private final RedisReleases releases;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	/**
	 * Create a provider on a single server or on a Sentinel.
	 * @param client the client, made with the address of the server; it stays the
	 * caller's to shut down
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public RedisLockProvider(RedisClient client, Duration commandTimeout) {
		this((AbstractRedisClient) client, commandTimeout);
	}

	/**
	 * Create a provider on a cluster.
	 * @param client the client, which stays the caller's to shut down
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
	 * Try in the background whether the user of Redis has the rights that locks need, and
	 * log what is missing. Without the right to subscribe waiting calls ask at intervals;
	 * without the right to run scripts there are no locks.
	 * @param keyPrefix what all keys start with
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
	 * Ask for the lock in the name of one in the queue, which is joined with that.
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
	 * Release for an owner that nobody is, which takes the rights of any release.
	 */
	CompletionStage<Boolean> releaseUnknown(String key) {
		return release(candidate(new LeaseRequest(key, Duration.ofMillis(1), LockType.EXCLUSIVE), this.owners.next()));
	}

	CompletionStage<@Nullable LeaseTerm> renew(RedisLease lease, Duration leaseTime) {
		long sentAt = System.nanoTime();
		RedisScript script = lease.shared() ? RedisScript.RENEW_SHARE : RedisScript.RENEW;
		RedisCall call = RedisCall.of(script, new String[] { lease.name() }, lease.owner(), millis(leaseTime));
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
	 * Give a lease back.
	 * @param unknown whether its owner may not have it: it is to be removed right behind
	 * the attempt to take it, whenever the server comes to that
	 */
	private CompletionStage<Boolean> release(RedisLease lease, boolean unknown) {
		String[] keys = { lease.name() };
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
		// permits are held together: a number of their order would guard nothing
		return (request.type() == LockType.SEMAPHORE) ? candidate
				: new RedisLease(candidate.provider(), candidate.name(), candidate.channel(), candidate.owner(),
						candidate.shared(), OptionalLong.of(token), candidate.term());
	}

	private static RedisCall acquire(RedisLease candidate, LeaseRequest request) {
		if (request.type() == LockType.FAIR) {
			return acquireInTurn(candidate, request, Duration.ZERO);
		}
		String[] keys = { candidate.name(), RedisKeys.counter(request.key()) };
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
