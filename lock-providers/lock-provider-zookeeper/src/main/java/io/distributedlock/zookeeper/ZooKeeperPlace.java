package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One owner's place among the nodes of a lock. Taking it costs two round trips, and if
 * others are in front another one, with a watch on the last of those that matter.
 */
final class ZooKeeperPlace implements LockQueue.Place {

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

	private final CompletableFuture<@Nullable Lease> outcome = new CompletableFuture<>();

	private final NodeWatch watch;

	/**
	 * Looks that were asked for and not yet answered: those that come while one is under
	 * way are answered by one more.
	 */
	private final AtomicInteger looks = new AtomicInteger();

	private volatile @Nullable Node own;

	/**
	 * Whether others were seen in front.
	 */
	private volatile boolean queued;

	private volatile boolean behindOthers;

	/**
	 * Whether a client that tried again after a lost answer has left no other nodes of
	 * this place, or those are being removed.
	 */
	private volatile boolean twinsKnown;

	ZooKeeperPlace(ZooKeeperCalls calls, Connection connection, String root, LeaseRequest request, String owner,
			boolean mayWait) {
		this.calls = calls;
		this.connection = connection;
		this.request = request;
		this.mayWait = mayWait;
		this.watch = new NodeWatch(calls, this::look);
		// the permits of a semaphore have nothing to do with a lock of the same key
		this.parent = root + "/" + request.key() + ((request.type() == LockType.SEMAPHORE) ? "~permits" : "");
		this.name = QueueNode.nameFor(request.type() == LockType.READ, owner);
	}

	void take() {
		long sentAt = System.nanoTime();
		Duration patience = Duration.ofNanos(this.request.giveUpAtNanos() - sentAt);
		this.calls.createInOrder(this.parent, this.name, patience).whenComplete((event, failure) -> {
			if (failure != null) {
				fail(failure);
				return;
			}
			if (event.getResultCode() != Code.OK.intValue()) {
				fail(new BackendException("the node of locks was removed while it was made", true, null));
				return;
			}
			Node created = new Node(event.getName(), event.getStat(), sentAt);
			this.own = created;
			if (this.outcome.isDone()) {
				removeNode();
			}
			else {
				look();
			}
		});
	}

	/**
	 * Return how the attempt ends if it is one that does not wait.
	 */
	CompletionStage<@Nullable Lease> attempt() {
		return this.outcome;
	}

	@Override
	@SuppressWarnings("NullAway") // a place that waits is never answered by nothing
	public CompletionStage<Lease> granted() {
		return this.outcome.thenApply((lease) -> lease);
	}

	@Override
	public void lookAgain() {
		if (!this.outcome.isDone()) {
			look();
		}
	}

	@Override
	public boolean isBehindOthers() {
		return this.behindOthers;
	}

	@Override
	public void leave() {
		if (this.outcome.completeExceptionally(new CancellationException("the place was left"))) {
			removeNode();
		}
	}

	private void look() {
		if (this.own != null && this.looks.getAndIncrement() == 0) {
			lookOnce();
		}
	}

	private void lookOnce() {
		Node node = this.own;
		if (node == null || this.outcome.isDone()) {
			return;
		}
		int answered = this.looks.get();
		this.calls.children(this.parent)
			.thenCompose((event) -> onLooked(node, (event.getChildren() != null) ? event.getChildren() : List.of()))
			.whenComplete((done, failure) -> {
				if (failure != null) {
					onLookFailed(ZooKeeperErrors.translate(failure));
				}
				if (this.looks.addAndGet(-answered) > 0) {
					lookOnce();
				}
			});
	}

	private CompletionStage<?> onLooked(Node node, List<String> children) {
		List<QueueNode> all = QueueNode.of(children);
		QueueNode self = all.stream().filter((each) -> node.path.endsWith("/" + each.name())).findFirst().orElse(null);
		if (self == null || !this.connection.isCurrent(node.stat.getEphemeralOwner())) {
			return giveUp(new BackendException("the place in the queue has gone with its session", true, null));
		}
		if (self.isBeyondTheLastNumber()) {
			return giveUp(new BackendException("ZooKeeper has no more numbers for the node " + this.parent
					+ ": delete it, or leave it unused for a minute", false, null));
		}
		// what an answer that was lost has left, and a client that then tried again
		all.stream().filter(self::isTwinOf).forEach((twin) -> this.calls.remove(this.parent + "/" + twin.name()));
		this.twinsKnown = true;
		QueueNode before = self.lastBefore(all, this.request.permits());
		if (before == null) {
			return proved(node).thenAccept((provedAt) -> grant(node, provedAt));
		}
		if (this.mayWait) {
			this.queued = true;
			this.behindOthers = true;
			return this.watch.begin(this.parent + "/" + before.name()).thenRun(this::endWatchIfDone);
		}
		if (this.outcome.complete(null)) {
			this.calls.remove(node.path);
		}
		return DONE;
	}

	/**
	 * Return the instant before the last request that has proved the session: that which
	 * created the node, unless it has waited since.
	 */
	private CompletionStage<Long> proved(Node node) {
		if (!this.queued) {
			return CompletableFuture.completedFuture(node.createdAt);
		}
		long sentAt = System.nanoTime();
		return this.calls.prove(node.path).thenApply((event) -> {
			if (event.getStat() == null || !this.connection.isCurrent(node.stat.getEphemeralOwner())) {
				throw new BackendException("the place in the queue has gone with its session", true, null);
			}
			return sentAt;
		});
	}

	private void grant(Node node, long provedAt) {
		LeaseTerm term = new LeaseTerm(provedAt,
				ZooKeeperLease.shorter(this.request.leaseTime(), this.calls.provenLength()));
		ZooKeeperLease lease = new ZooKeeperLease(this.calls, this.connection, node.path, node.stat,
				this.request.type() != LockType.SEMAPHORE, term);
		if (this.outcome.complete(lease)) {
			lease.begin(this.request.leaseTime());
			this.watch.end();
		}
	}

	/**
	 * A place that the server knows is there as long as the session: the next look may
	 * find it.
	 */
	private void onLookFailed(BackendException failure) {
		this.behindOthers = false;
		if (!failure.isRetryable() || !this.queued) {
			giveUp(failure);
		}
	}

	private void endWatchIfDone() {
		if (this.outcome.isDone()) {
			this.watch.end();
		}
	}

	/**
	 * Remove the node, unless the place was granted meanwhile: then it is its holder's,
	 * or left: then it is removed already.
	 */
	private CompletionStage<?> giveUp(BackendException failure) {
		if (fail(failure)) {
			removeNode();
		}
		return DONE;
	}

	private void removeNode() {
		this.watch.end();
		Node node = this.own;
		if (node != null && this.twinsKnown) {
			this.calls.remove(node.path);
		}
		else if (node != null) {
			this.calls.removeByName(this.parent, this.name);
		}
	}

	private boolean fail(Throwable failure) {
		return this.outcome.completeExceptionally(ZooKeeperErrors.translate(failure));
	}

	private record Node(String path, Stat stat, long createdAt) {
	}

}
