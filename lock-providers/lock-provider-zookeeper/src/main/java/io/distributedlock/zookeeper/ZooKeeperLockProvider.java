package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.SharedWatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases on ZooKeeper through Curator, by ZooKeeper's own recipe (<a href=
 * "https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks">Locks</a> and
 * Shared Locks): each owner has an ephemeral sequential node below that of the lock. The
 * owner with the lowest number has the lock. A JVM whose owners wait watches all nodes of
 * the lock. Readers wait only for the writers before them. The fencing token is the
 * transaction in which the node was created, its czxid, times 16. Thread-safe; nothing
 * blocks.
 * <p>
 * A node lives as long as the session of its client. So a lease is granted for two fifths
 * of the negotiated session time-out, counted from before the last write that a majority
 * has recorded, and another write renews it in time. Curator's own recipes are not used:
 * they tie a lock to a thread and have no leases. When a lease expires while its holder
 * lives, this provider deletes the node.
 *
 * @since 0.1
 */
public final class ZooKeeperLockProvider implements LockProvider, LockQueue, LockOwners {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "zookeeper";

	/**
	 * The node below which all locks are where the caller gives none.
	 */
	public static final String DEFAULT_ROOT = "/distributed-lock";

	private final ZooKeeperCalls calls;

	private final Connection connection;

	private final SharedWatch.All<String, QueueWatch.Waiter, QueueWatch> watches;

	private final String root;

	private final LocalOwners owners = new LocalOwners();

	private final ZooKeeperOwners nodes;

	/**
	 * Create a provider.
	 * @param client the client, which the caller starts and closes. Its session time-out
	 * says how long a lock stays after its holder died
	 * @param root the node below which all locks are, such as {@link #DEFAULT_ROOT}
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public ZooKeeperLockProvider(CuratorFramework client, String root, Duration commandTimeout) {
		this.connection = new Connection(client);
		this.calls = new ZooKeeperCalls(client, this.connection, commandTimeout);
		this.watches = new SharedWatch.All<>((parent) -> new QueueWatch(this.calls, this.connection, parent));
		this.root = root;
		this.nodes = new ZooKeeperOwners(this.calls, root);
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
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return new ZooKeeperAttempt(owner(request)).start();
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		return new ZooKeeperPlace(owner(request), true).take();
	}

	private LocalOwner owner(LeaseRequest request) {
		String id = this.owners.next();
		return new LocalOwner(this.calls, this.connection, this.watches, this.owners, request, id,
				ZooKeeperOwners.parentOf(this.root, request.key(), request.type()),
				QueueNode.nameFor(request.type() == LockType.READ, request.permits(), id));
	}

	/**
	 * Renew leases by one write, which proves the session of all of them, and one read
	 * for each of the others.
	 */
	@Override
	public List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		List<CompletionStage<@Nullable LeaseTerm>> renewed = new ArrayList<>(renewals.size());
		long sentAt = System.nanoTime();
		CompletableFuture<CuratorEvent> proof = null;
		for (LeaseRenewal renewal : renewals) {
			if (!(renewal.lease() instanceof ZooKeeperLease lease)) {
				renewed.add(renewal.lease().renew(renewal.leaseTime()));
				continue;
			}
			CompletableFuture<CuratorEvent> answer;
			if (proof == null) {
				proof = lease.prove();
				answer = proof;
			}
			else {
				// same connection: the server reads after it has written the proof
				answer = lease.look().thenCombine(proof, (looked, proved) -> looked);
			}
			renewed.add(lease.renewed(renewal.leaseTime(), sentAt, answer));
		}
		return renewed;
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.nodes.owners(key);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return this.nodes.revoke(key, owner);
	}

	@Override
	public CompletionStage<?> ping() {
		return this.calls.sync("/");
	}

	@Override
	public void close() {
		this.watches.close();
		this.connection.close();
		this.calls.close();
	}

	/**
	 * Return how many owners of this JVM wait or have a lock.
	 */
	int presentOwners() {
		return this.owners.count();
	}

}
