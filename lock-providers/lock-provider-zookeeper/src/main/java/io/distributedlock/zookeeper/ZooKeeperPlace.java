package io.distributedlock.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Mutex;
import io.distributedlock.spi.support.WatchingPlace;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One owner's place among the nodes of a lock. To take it costs one round trip, with two
 * commands: one creates the node, one looks. If others are in front, the watch on the
 * queue says when they have gone. Only a look says who is in front: an event that the
 * client must not see would be missed.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md, docs/decisions/035-zookeeper-term.md
 */
final class ZooKeeperPlace extends WatchingPlace implements QueueWatch.Waiter {

	private static final CompletionStage<Void> DONE = CompletableFuture.allOf();

	private final LocalOwner owner;

	private final boolean mayWait;

	/**
	 * The names of the nodes in front, as the last look and later events say; none if
	 * nobody reports events. Guarded by the mutex.
	 */
	private Set<String> front = new HashSet<>();

	private final Mutex mutex = new Mutex();

	/**
	 * The look that was sent together with the creation of the node.
	 */
	private volatile @Nullable FirstLook firstLook;

	private volatile @Nullable Node own;

	/**
	 * Whether a look has seen that this place has only one node, or has started to remove
	 * the others. A client that tries again after a lost answer makes more than one.
	 */
	private volatile boolean twinsKnown;

	ZooKeeperPlace(LocalOwner owner, boolean mayWait) {
		super(owner.calls()::translate);
		this.owner = owner;
		this.mayWait = mayWait;
	}

	/**
	 * Take the place: create the node, and look for the first time.
	 */
	ZooKeeperPlace take() {
		long sentAt = System.nanoTime();
		boolean reported = isReported();
		CompletableFuture<CuratorEvent> created = this.owner.calls()
			.createInOrder(this.owner.parent(), this.owner.name(), this.owner.patience());
		// the server carries out the commands of a session one after the other
		this.firstLook = new FirstLook(reported,
				this.owner.calls().children(this.owner.parent(), this.owner.patience()));
		created.whenComplete((event, failure) -> {
			if (failure != null) {
				// what it may have left is removed by who has sent it
				giveUp(failure);
			}
			else {
				onCreated(event, sentAt);
			}
		});
		return this;
	}

	private void onCreated(CuratorEvent event, long sentAt) {
		if (event.getResultCode() != Code.OK.intValue()) {
			giveUp(new BackendException(
					"ZooKeeper removed the node of the lock because it was empty, before an owner was added: try again",
					true, null));
			return;
		}
		this.own = new Node(event.getName(), event.getStat(), sentAt);
		this.owner.connection().proved(event.getStat().getEphemeralOwner(), sentAt);
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
	protected CompletionStage<Void> look() {
		Node node = Objects.requireNonNull(this.own);
		FirstLook first = this.firstLook;
		if (first == null) {
			return lookNow(node);
		}
		this.firstLook = null;
		return first.answer.handle((children, failure) -> QueueNode.of((failure == null) ? children : List.of()))
			// not if the parent had to be created, or the client has sent it again
			.thenCompose((all) -> (node.in(all) != null) ? onLooked(node, all, first.reported) : lookNow(node));
	}

	private CompletionStage<Void> lookNow(Node node) {
		boolean reported = isReported();
		if (isConfirmed()) {
			// or a server that is cut off would say for long what it knew last
			this.owner.calls().sync(this.owner.parent());
		}
		return this.owner.calls()
			.children(this.owner.parent())
			.thenCompose((children) -> onLooked(node, QueueNode.of(children), reported));
	}

	private boolean isReported() {
		QueueWatch watch = this.owner.watches().find(this.owner.parent());
		return watch != null && watch.isActive();
	}

	/**
	 * Deal with the answer to a look.
	 * @param reported whether all that has happened since the look is reported
	 */
	private CompletionStage<Void> onLooked(Node node, List<QueueNode> all, boolean reported) {
		QueueNode self = node.in(all);
		if (self == null || !isCurrent(node)) {
			giveUp(ZooKeeperErrors.goneWithItsSession());
			return DONE;
		}
		if (self.isBeyondTheLastNumber()) {
			giveUp(new BackendException("ZooKeeper has no more numbers for the node " + this.owner.parent()
					+ ": delete it, or leave it unused for a minute", false, null));
			return DONE;
		}
		all.stream()
			.filter(self::isTwinOf)
			.forEach((twin) -> this.owner.calls().remove(this.owner.parent() + "/" + twin.name()));
		this.twinsKnown = true;
		List<QueueNode> before = self.before(all);
		if (before.size() < this.owner.request().permits()) {
			return grant(node);
		}
		if (!this.mayWait) {
			return refuseUnlessTheyHaveGone(node, before);
		}
		stayBehindOthers();
		return watch(before, reported).thenRun(() -> {
			if (isOver()) {
				stopWatching();
			}
		});
	}

	/**
	 * End an attempt that does not wait, unless only owners of this JVM are in front that
	 * have gone: then it looks again when their nodes are removed.
	 */
	private CompletionStage<Void> refuseUnlessTheyHaveGone(Node node, List<QueueNode> before) {
		if (this.owner.isRefusedFor(before)) {
			refuse();
			return DONE;
		}
		return ZooKeeperAttempt.pause().thenCompose((paused) -> lookNow(node));
	}

	/**
	 * Wait for events. If nobody has reported them since the look, begin that, and look
	 * again. Where that is refused, the next poll looks.
	 */
	private CompletionStage<Void> watch(List<QueueNode> before, boolean reported) {
		QueueWatch queue = this.owner.watches().add(this.owner.parent(), this);
		if (reported && queue.isActive()) {
			waitFor(queue, before);
			return DONE;
		}
		return queue.begin().thenAccept((active) -> {
			if (active) {
				onSignal();
			}
		});
	}

	private void waitFor(QueueWatch queue, List<QueueNode> before) {
		boolean changed = this.mutex.get(() -> {
			this.front = before.stream().map(QueueNode::name).collect(Collectors.toCollection(HashSet::new));
			return this.front.removeIf(queue::hasGone);
		});
		if (changed) {
			// an event came before the answer to the look was dealt with
			onSignal();
		}
	}

	@Override
	public void gone(String gone) {
		Node node = this.own;
		if (node == null) {
			return;
		}
		boolean first = this.mutex
			.get(() -> this.front.remove(gone) && this.front.size() < this.owner.request().permits());
		if (node.is(gone) || (first && !isCurrent(node))) {
			giveUp(ZooKeeperErrors.goneWithItsSession());
		}
		else if (first) {
			grant(node).exceptionally((failure) -> {
				onLookFailed(failure);
				return null;
			});
		}
	}

	@Override
	public void missed() {
		onSignal();
	}

	private boolean isCurrent(Node node) {
		return this.owner.connection().isCurrent(node.stat.getEphemeralOwner());
	}

	private CompletionStage<Void> grant(Node node) {
		// the creation of the node has proved the session, unless the place has waited
		CompletionStage<Long> proved = isConfirmed() ? this.owner.proved(node.path, node.stat.getEphemeralOwner())
				: CompletableFuture.completedFuture(node.createdAt);
		return proved.thenAccept((provedAt) -> {
			ZooKeeperLease lease = this.owner.lease(node.path, node.stat, provedAt);
			if (!grant(lease)) {
				lease.forget();
			}
		});
	}

	/**
	 * Remove the node. There is none before ZooKeeper has answered: then the answer to
	 * that calls this.
	 */
	@Override
	protected void remove() {
		this.owner.ended();
		Node node = this.own;
		if (node != null && this.twinsKnown) {
			this.owner.calls().remove(node.path);
		}
		else if (node != null) {
			this.owner.calls().removeByName(this.owner.parent(), this.owner.name());
		}
	}

	@Override
	protected void stopWatching() {
		this.owner.watches().remove(this.owner.parent(), this);
	}

	/**
	 * The node of this place.
	 *
	 * @param path its path
	 * @param stat what ZooKeeper knows of it
	 * @param createdAt the instant before its creation was sent
	 */
	private record Node(String path, Stat stat, long createdAt) {

		boolean is(String other) {
			return this.path.endsWith("/" + other);
		}

		@Nullable QueueNode in(List<QueueNode> all) {
			return all.stream().filter((each) -> is(each.name())).findFirst().orElse(null);
		}

	}

	/**
	 * A look that was sent together with the creation of the node.
	 *
	 * @param reported whether events were reported when it was sent
	 * @param answer the answer
	 */
	private record FirstLook(boolean reported, CompletableFuture<List<String>> answer) {
	}

}
