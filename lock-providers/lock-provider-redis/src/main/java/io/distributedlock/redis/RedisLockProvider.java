package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.ExclusiveLocks;
import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.SharedLocks;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.OwnerNames;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants leases on Redis through Lettuce, after <a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed
 * Locks with Redis</a>: a free key is set to the owner with an expiry, and scripts
 * compare the owner before they renew or release. Works on a single server, Sentinel and
 * Cluster, and on servers with the same protocol. Acquisition and release cost one round
 * trip each. Thread-safe.
 * <p>
 * Calls that wait for an exclusive or fair lock are in the line {@code {k}:line} of its
 * key {@code k}. The release hands the lock over to the first of them whose JVM is alive
 * according to {@code {k}:alive}, and tells that JVM, on its channel. Readers share the
 * key {@code k} as a set, and the owners of a semaphore's permits are the set
 * {@code {k}:permits}. They and writers listen on the channel {@code k}; while they wait
 * there is a mark in {@code {k}:alive}, or {@code {k}:permits:mark}. All these keys
 * expire.
 * <p>
 * One counter of fencing tokens serves all keys of a hash slot. It expires a day after
 * its last use; a new counter starts at the server's clock in microseconds. Counters and
 * the channels of JVMs begin with the prefix of the provider.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md,
 * docs/decisions/031-tokens-start-at-the-clock.md
 *
 * @since 0.1
 */
public final class RedisLockProvider implements LockProvider, LockQueue, LockOwners, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redis";

	/**
	 * The start of the names of counters and channels, unless a provider is created with
	 * another one.
	 */
	public static final String DEFAULT_PREFIX = "lock";

	private static final Logger logger = LoggerFactory.getLogger(RedisLockProvider.class);

	private final RedisLink link;

	private final RedisRunner runner;

	private final ExclusiveLocks exclusive;

	private final SharedLocks shared;

	private final TokenCounters counters;

	private final OwnerNames owners = new OwnerNames();

	/**
	 * Create a provider.
	 * @param client a {@link RedisClient}, created with the address of a server or a
	 * Sentinel, or a {@link RedisClusterClient}; the caller shuts it down
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public RedisLockProvider(AbstractRedisClient client, Duration commandTimeout) {
		this(client, commandTimeout, DEFAULT_PREFIX);
	}

	/**
	 * Create a provider.
	 * @param client a {@link RedisClient}, created with the address of a server or a
	 * Sentinel, or a {@link RedisClusterClient}; the caller shuts it down
	 * @param commandTimeout how long to wait for the answer to a command
	 * @param prefix the start of the names of counters and channels, best the prefix of
	 * all keys. All JVMs that use the same keys need the same one
	 */
	public RedisLockProvider(AbstractRedisClient client, Duration commandTimeout, String prefix) {
		this(() -> client, commandTimeout, prefix);
	}

	/**
	 * Create a provider on the client that an application has at the time: one that is
	 * stopped and started again, such as a context of Spring that is paused, may have
	 * another one afterwards.
	 * @param client gives the client, a {@link RedisClient} or a
	 * {@link RedisClusterClient}, always of the same kind. Throws an exception while
	 * there is none, and calls fail with it. It must be there now
	 * @param commandTimeout how long to wait for the answer to a command
	 * @param prefix the start of the names of counters and channels, best the prefix of
	 * all keys. All JVMs that use the same keys need the same one
	 */
	public RedisLockProvider(Supplier<AbstractRedisClient> client, Duration commandTimeout, String prefix) {
		boolean cluster = client.get() instanceof RedisClusterClient;
		this.counters = new TokenCounters(prefix, cluster);
		this.link = new RedisLink(client, cluster, commandTimeout);
		this.runner = new RedisRunner(this.link);
		this.exclusive = new ExclusiveLocks(this.runner, LockScripts.PLAIN, this.counters);
		this.shared = new SharedLocks(this.exclusive);
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
		return switch (request.type()) {
			case EXCLUSIVE, FAIR -> this.exclusive.tryAcquire(request);
			case WRITE -> this.exclusive.tryAcquire(request, PlainScripts.ACQUIRE_WRITE);
			case READ, SEMAPHORE ->
				this.shared.tryAcquire(request, owner(request.key(), request.type(), this.owners.next()), () -> {
				});
		};
	}

	private PlainOwner owner(String key, LockType type, String id) {
		return new PlainOwner(this.counters, key, type, id);
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.EXCLUSIVE || type == LockType.FAIR;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		return this.exclusive.enqueue(request);
	}

	@Override
	public List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		return this.exclusive.renewAll(renewals);
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.runner.hearReleases(key, onRelease);
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return Failures.translated(RedlockProvider.owners(this.link, List.of(key, PlainOwner.permits(key))),
				RedisErrors::translate);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return switch (owner.type()) {
			case READ, SEMAPHORE -> this.shared.release(owner(key, owner.type(), owner.id()));
			default -> this.exclusive.revoke(key, owner.id());
		};
	}

	@Override
	public CompletionStage<?> ping() {
		return Failures.translated(this.link.ping(List.of(this.exclusive.channel())), RedisErrors::translate);
	}

	/**
	 * Check in the background what Redis lacks or denies the user, and log it. Without
	 * scripts there are no locks. Without channels waiting calls poll. Without
	 * {@code EVALSHA} each command carries its script. A server that cannot be reached is
	 * not reported: that may pass, and each lock reports it.
	 * @param keyPrefix the prefix of all keys
	 */
	public void checkAccess(String keyPrefix) {
		String key = keyPrefix + ":access-check";
		// a server that is too old fails here, and may not fail below
		this.exclusive.check((channel) -> this.link.ping(List.of(key), channel, key))
			.thenCompose((answer) -> this.exclusive.leaveUnknown(key))
			.whenComplete((released, failure) -> {
				BackendException reason = (failure != null) ? RedisErrors.translate(failure) : null;
				// a connection that is closed meanwhile fails in any way
				if (reason != null && !reason.isRetryable() && !this.link.isClosed()) {
					logger.error("Locks under '{}' cannot work: {}", keyPrefix, reason.getMessage());
				}
			});
	}

	@Override
	public void close() {
		this.exclusive.close();
		this.link.close();
	}

}
