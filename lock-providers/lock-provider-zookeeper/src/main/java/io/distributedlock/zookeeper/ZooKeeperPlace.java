package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.WatchingPlace;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One owner's place among the nodes of a lock. To take it costs two round trips: one
 * creates the node, one looks. If others are in front, one more puts a watch on the last
 * of those that matter.
 * <p>
 * Why: docs/decisions/015-one-place-in-the-queue-of-a-backend.md,
 * docs/decisions/035-zookeeper-term.md
 */
final class ZooKeeperPlace extends WatchingPlace {

	private static final CompletionStage<?> DONE = CompletableFuture.completedFuture(null);

	private final ZooKeeperCalls calls;

	private final Connection connection;

	private final LeaseRequest request;

	private final boolean mayWait;

	private final String parent;

	/**
	 * Finds the nodes of this place if the answer to a creation is lost.
	 */
	private final String name;

	private final NodeWatch watch;

	private volatile @Nullable Node own;

	/**
	 * Whether a look has seen that this place has only one node, or has started to remove
	 * the others. A client that tries again after a lost answer makes more than one.
	 */
	private volatile boolean twinsKnown;

	ZooKeeperPlace(ZooKeeperCalls calls, Connection connection, String root, LeaseRequest request, String owner,
			boolean mayWait) {
		super(ZooKeeperErrors::translate);
		this.calls = calls;
		this.connection = connection;
		this.request = request;
		this.mayWait = mayWait;
		this.watch = new NodeWatch(calls, this::onSignal);
		// a semaphore and a lock with the same key do not exclude each other
		this.parent = root + "/" + request.key() + ((request.type() == LockType.SEMAPHORE) ? "~permits" : "");
		this.name = QueueNode.nameFor(request.type() == LockType.READ, owner);
	}

	/**
	 * Take the place: create the node, and look for the first time.
	 */
	void take() {
		long sentAt = System.nanoTime();
		Duration patience = Duration.ofNanos(this.request.giveUpAtNanos() - sentAt);
		this.calls.createInOrder(this.parent, this.name, patience).whenComplete((event, failure) -> {
			if (failure != null) {
				// what it may have left is removed by who has sent it
				fail(failure);
			}
			else {
				onCreated(event, sentAt);
			}
		});
	}

	private void onCreated(CuratorEvent event, long sentAt) {
		if (event.getResultCode() != Code.OK.intValue()) {
			fail(new BackendException(
					"ZooKeeper removed the node of the lock because it was empty, before an owner was added: try again",
					true, null));
			return;
		}
		this.own = new Node(event.getName(), event.getStat(), sentAt);
		if (isOver()) {
			remove();
		}
		else {
			poll();
		}
	}

	@Override
	protected boolean isTaken() {
		return this.own != null;
	}

	@Override
	protected CompletionStage<?> look() {
		Node node = this.own;
		if (node == null) {
			throw new IllegalStateException("The place is not taken");
		}
		return this.calls.children(this.parent)
			.thenCompose((event) -> onLooked(node, (event.getChildren() != null) ? event.getChildren() : List.of()));
	}

	private CompletionStage<?> onLooked(Node node, List<String> children) {
		List<QueueNode> all = QueueNode.of(children);
		QueueNode self = all.stream().filter((each) -> node.path.endsWith("/" + each.name())).findFirst().orElse(null);
		if (self == null || !this.connection.isCurrent(node.stat.getEphemeralOwner())) {
			giveUp(goneWithItsSession());
			return DONE;
		}
		if (self.isBeyondTheLastNumber()) {
			giveUp(new BackendException("ZooKeeper has no more numbers for the node " + this.parent
					+ ": delete it, or leave it unused for a minute", false, null));
			return DONE;
		}
		all.stream().filter(self::isTwinOf).forEach((twin) -> this.calls.remove(this.parent + "/" + twin.name()));
		this.twinsKnown = true;
		QueueNode before = self.lastBefore(all, this.request.permits());
		if (before == null) {
			return proved(node).thenAccept((provedAt) -> grant(node, provedAt));
		}
		if (!this.mayWait) {
			refuse();
			return DONE;
		}
		stayBehindOthers();
		// part of the look: a node that has gone by then sends a signal, which causes one
		// more
		return this.watch.begin(this.parent + "/" + before.name()).thenRun(this::stopWatchingIfOver);
	}

	/**
	 * Return the instant before the last request that has proved the session. That is the
	 * creation of the node, unless the place has waited since then.
	 */
	private CompletionStage<Long> proved(Node node) {
		if (!isConfirmed()) {
			return CompletableFuture.completedFuture(node.createdAt);
		}
		long sentAt = System.nanoTime();
		return this.calls.prove(node.path).thenApply((event) -> {
			if (event.getStat() == null || !this.connection.isCurrent(node.stat.getEphemeralOwner())) {
				throw goneWithItsSession();
			}
			return sentAt;
		});
	}

	private void grant(Node node, long provedAt) {
		LeaseTerm term = new LeaseTerm(provedAt,
				ZooKeeperLease.shorter(this.request.leaseTime(), this.calls.provenLength()));
		ZooKeeperLease lease = new ZooKeeperLease(this.calls, this.connection, node.path, node.stat,
				this.request.type() != LockType.SEMAPHORE, term);
		if (grant(lease)) {
			lease.begin(this.request.leaseTime());
		}
	}

	/**
	 * Remove the node. There is none before ZooKeeper has answered: then the answer to
	 * that calls this.
	 */
	@Override
	protected void remove() {
		Node node = this.own;
		if (node != null && this.twinsKnown) {
			this.calls.remove(node.path);
		}
		else if (node != null) {
			this.calls.removeByName(this.parent, this.name);
		}
	}

	@Override
	protected void stopWatching() {
		this.watch.end();
	}

	private void stopWatchingIfOver() {
		if (isOver()) {
			this.watch.end();
		}
	}

	private static BackendException goneWithItsSession() {
		return new BackendException("the place in the queue ended with its ZooKeeper session", true, null);
	}

	/**
	 * The node of this place.
	 *
	 * @param path its path
	 * @param stat what ZooKeeper knows of it
	 * @param createdAt the instant before its creation was sent
	 */
	private record Node(String path, Stat stat, long createdAt) {
	}

}
