package io.distributedlock.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.SharedWatch;
import io.etcd.jetcd.Client;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases on etcd through jetcd, by etcd's own recipe (<a href=
 * "https://pkg.go.dev/go.etcd.io/etcd/client/v3/concurrency">concurrency.Mutex</a>): each
 * owner has a key below the prefix of the lock. The owner whose key was created first has
 * the lock, and the others watch all keys of the lock. Readers wait only for the writers
 * before them. The fencing token is the revision at which the key was created, times 256.
 * Owners of one JVM share an etcd lease. Thread-safe.
 * <p>
 * etcd counts leases in whole seconds and grants none shorter than its election takes, so
 * the lease of a JVM that has ended may run longer on etcd than was asked for. The holder
 * relies only on what it asked for. jetcd's stream that renews leases by itself is not
 * used: the engine renews.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 *
 * @since 0.1
 */
public final class EtcdLockProvider implements LockProvider, LockQueue, LockOwners {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "etcd";

	/**
	 * The prefix of all keys where the caller gives none.
	 */
	public static final String DEFAULT_PREFIX = "distributed-lock/";

	/**
	 * A hand-over waits for a deletion and a message of the watch. One synced server on
	 * two processors needs 2 milliseconds, and a majority longer.
	 */
	private static final Duration HAND_OVER_TIME = Duration.ofMillis(3);

	private final EtcdPlace.Session session;

	private final String prefix;

	private final EtcdOwners owners;

	/**
	 * Create a provider.
	 * @param client the client, which the caller closes
	 * @param prefix what all keys of locks start with, such as {@link #DEFAULT_PREFIX}; a
	 * role that may read and write this prefix is enough
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public EtcdLockProvider(Client client, String prefix, Duration commandTimeout) {
		EtcdCalls calls = new EtcdCalls(client, commandTimeout);
		this.session = new EtcdPlace.Session(calls, new SharedLeases(calls),
				new SharedWatch.All<>((all) -> new WatchedQueue(calls, all)), new RefusedKeys());
		this.prefix = prefix;
		this.owners = new EtcdOwners(calls, prefix);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING, LockCapability.FAIR, LockCapability.SHARED,
				LockCapability.SEMAPHORE, LockCapability.LOCK_DELAY, LockCapability.SURVIVES_FAILOVER);
	}

	@Override
	public Duration handOverTime() {
		return HAND_OVER_TIME;
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return new EtcdPlace(this.session, this.prefix, request, false).take().attempt();
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		return new EtcdPlace(this.session, this.prefix, request, true).take();
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.owners.owners(key);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return this.owners.revoke(key, owner);
	}

	@Override
	public CompletionStage<?> ping() {
		return Failures.translated(this.session.calls().ping(EtcdCalls.bytes(this.prefix)), EtcdErrors::translate);
	}

	@Override
	public void close() {
		this.session.queues().close();
		this.session.calls().close();
	}

}
