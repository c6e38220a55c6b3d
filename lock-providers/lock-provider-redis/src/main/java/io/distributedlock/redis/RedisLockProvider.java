package io.distributedlock.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.UnknownOwners;
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
 * clock in microseconds. A release is published on the channel {@code k}.
 *
 * @since 0.1
 */
public final class RedisLockProvider implements LockProvider, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redis";

	private static final String COUNTER_TTL_MILLIS = Long.toString(Duration.ofDays(1).toMillis());

	private final RedisLink link;

	private final RedisReleases releases;

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
		return Set.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING, LockCapability.EXACT_EXPIRY,
				LockCapability.LOCK_DELAY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		String key = request.key();
		String owner = Owners.next();
		long sentAt = System.nanoTime();
		CompletionStage<Long> answer = this.link.send((commands) -> RedisScript.ACQUIRE.call(commands,
				new String[] { key, "{" + key + "}:token" }, owner, millis(request.leaseTime()), COUNTER_TTL_MILLIS));
		return answer.handle((token, failure) -> {
			if (failure != null) {
				if (!RedisErrors.isRefusal(failure)) {
					this.unknownOwners.remove(key, request.leaseTime(), () -> release(key, owner));
				}
				throw RedisErrors.translate(failure);
			}
			return (token != 0) ? new RedisLease(this, key, owner, token, new LeaseTerm(sentAt, request.leaseTime()))
					: null;
		});
	}

	CompletionStage<@Nullable LeaseTerm> renew(RedisLease lease, Duration leaseTime) {
		long sentAt = System.nanoTime();
		CompletionStage<Long> answer = this.link.send((commands) -> RedisScript.RENEW.call(commands,
				new String[] { lease.key() }, lease.owner(), millis(leaseTime)));
		return answer.handle((renewed, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(failure);
			}
			return (renewed == 1) ? new LeaseTerm(sentAt, leaseTime) : null;
		});
	}

	CompletionStage<Boolean> release(String key, String owner) {
		CompletionStage<Long> answer = this.link
			.send((commands) -> RedisScript.RELEASE.call(commands, new String[] { key }, owner));
		return answer.handle((released, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(failure);
			}
			return released == 1;
		});
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
