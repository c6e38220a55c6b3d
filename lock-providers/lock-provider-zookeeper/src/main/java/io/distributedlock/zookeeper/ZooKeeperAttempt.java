package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a call that does not wait. One transaction replaces the node of the lock
 * by a new one that has the node of this owner. ZooKeeper refuses that if the lock has
 * other nodes, so a refused attempt leaves no node for which others would be refused.
 * Only an owner who may share the lock with others takes a place behind them.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class ZooKeeperAttempt {

	/**
	 * The number that ZooKeeper gives to the first node.
	 */
	private static final String FIRST = "0000000000";

	/**
	 * When to try again if only nodes are in the way that are about to be removed.
	 */
	private static final Duration PAUSE = Duration.ofMillis(2);

	private final ZooKeeperCalls calls;

	private final Connection connection;

	private final LocalOwners owners;

	private final LeaseRequest request;

	private final Supplier<CompletionStage<@Nullable Lease>> shared;

	private final String owner;

	private final String parent;

	private final String name;

	private final String path;

	/**
	 * Create an attempt.
	 * @param root the node below which all locks are
	 * @param owner the name of the owner, as {@link LocalOwners#next} has given it
	 * @param shared attempts to share the lock, for the same owner
	 */
	ZooKeeperAttempt(ZooKeeperCalls calls, Connection connection, LocalOwners owners, String root, LeaseRequest request,
			String owner, Supplier<CompletionStage<@Nullable Lease>> shared) {
		this.calls = calls;
		this.connection = connection;
		this.owners = owners;
		this.request = request;
		this.shared = shared;
		this.owner = owner;
		this.parent = ZooKeeperOwners.parentOf(root, request.key(), request.type());
		this.name = QueueNode.nameFor(request.type() == LockType.READ, request.permits(), this.owner);
		this.path = this.parent + "/" + this.name + FIRST;
	}

	/**
	 * Make the attempt.
	 * @return completes with the lease, or with {@code null} if others have the lock or
	 * wait for it
	 */
	CompletionStage<@Nullable Lease> start() {
		return create(true).whenComplete((lease, failure) -> {
			if (lease == null) {
				this.owners.ended(this.owner);
			}
		});
	}

	/**
	 * Create the node of this owner as the only one.
	 * @param known whether the node of the lock is expected to be there
	 */
	private CompletionStage<@Nullable Lease> create(boolean known) {
		long sentAt = System.nanoTime();
		CompletableFuture<CuratorEvent> created = this.calls.createAlone(this.parent, this.name, this.path, known,
				patience());
		// the server carries out the commands of a session one after the other
		CompletableFuture<CuratorEvent> own = this.calls.look(this.path);
		return created.thenCompose((event) -> switch (Code.get(event.getResultCode())) {
			case OK -> grant(own.thenCompose(this::orLookAgain), sentAt);
			case NONODE -> known ? create(false) : this.shared.get();
			default -> findOthers(sentAt);
		});
	}

	private CompletionStage<@Nullable Lease> findOthers(long sentAt) {
		return this.calls.children(this.parent, patience()).thenCompose((event) -> {
			List<String> children = ZooKeeperPlace.children(event);
			if (children.contains(this.name + FIRST)) {
				// an answer was lost, and the client has sent the transaction again
				return grant(this.calls.look(this.path), sentAt);
			}
			List<QueueNode> before = QueueNode.afterAll(this.name).before(QueueNode.of(children));
			if (!children.isEmpty() && before.size() < this.request.permits()) {
				return this.shared.get();
			}
			if (this.owners.remaining(before).size() >= this.request.permits() || this.request.remainingNanos() <= 0) {
				return CompletableFuture.completedFuture(null);
			}
			// who was in the way has gone, or is about to
			return pause().thenCompose((paused) -> create(true));
		});
	}

	/**
	 * Return what completes when nodes that were about to be removed may have gone.
	 */
	static CompletionStage<?> pause() {
		return new CompletableFuture<Void>().completeOnTimeout(null, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * After a lost connection the client may send its commands in another order.
	 */
	private CompletionStage<CuratorEvent> orLookAgain(CuratorEvent looked) {
		return (looked.getStat() != null) ? CompletableFuture.completedFuture(looked) : this.calls.look(this.path);
	}

	private CompletionStage<@Nullable Lease> grant(CompletionStage<CuratorEvent> own, long sentAt) {
		return own.<@Nullable Lease>thenApply((event) -> {
			Stat stat = event.getStat();
			if (stat == null || !this.connection.isCurrent(stat.getEphemeralOwner())) {
				throw ZooKeeperPlace.goneWithItsSession();
			}
			this.connection.proved(stat.getEphemeralOwner(), sentAt);
			ZooKeeperLease lease = new ZooKeeperLease(this.calls, this.connection, this.owners, this.owner,
					this.request, this.path, stat, sentAt);
			lease.begin(this.request.leaseTime());
			return lease;
		}).whenComplete((lease, failure) -> {
			if (failure != null) {
				this.calls.remove(this.path);
			}
		});
	}

	private Duration patience() {
		return Duration.ofNanos(this.request.remainingNanos());
	}

}
