package io.distributedlock.zookeeper;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One owner's place among the nodes of a lock. Taking it costs two round trips, and if
 * others are in front another one, with a watch on the last of those that matter.
 */
final class ZooKeeperPlace implements LockQueue.Place {

	private static final String WRITER = "w-";

	private static final String READER = "r-";

	private final ZooKeeperCalls calls;

	private final Sessions sessions;

	private final LeaseRequest request;

	private final boolean mayWait;

	private final String parent;

	/**
	 * Finds the node again if the answer to its creation is lost.
	 */
	private final String name;

	private final CompletableFuture<@Nullable Lease> outcome = new CompletableFuture<>();

	private final AtomicReference<@Nullable Watched> watched = new AtomicReference<>();

	/**
	 * Looks that were asked for and not yet answered: those that come while one is under
	 * way are answered by one more.
	 */
	private final AtomicInteger looks = new AtomicInteger();

	private volatile @Nullable Node own;

	private volatile boolean behindOthers;

	ZooKeeperPlace(ZooKeeperCalls calls, Sessions sessions, String root, LeaseRequest request, String owner,
			boolean mayWait) {
		this.calls = calls;
		this.sessions = sessions;
		this.request = request;
		this.mayWait = mayWait;
		// the permits of a semaphore have nothing to do with a lock of the same key
		this.parent = root + "/" + request.key() + ((request.type() == LockType.SEMAPHORE) ? "~permits" : "");
		this.name = (isReader() ? READER : WRITER) + owner;
	}

	void take() {
		this.calls.createInOrder(this.parent + "/" + this.name + "-").whenComplete((event, failure) -> {
			if (failure != null) {
				this.calls.removeByName(this.parent, this.name);
				fail(failure);
				return;
			}
			if (event.getResultCode() != Code.OK.intValue()) {
				fail(new BackendException("the node of locks was removed while it was made", true, null));
				return;
			}
			Node created = new Node(event.getName(), event.getStat());
			this.own = created;
			if (this.outcome.isDone()) {
				this.calls.remove(created.path);
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
			giveUp();
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
		long sentAt = System.nanoTime();
		this.calls.children(this.parent).whenComplete((event, failure) -> {
			if (failure != null) {
				giveUp();
				fail(failure);
			}
			else {
				onLooked(node, (event.getChildren() != null) ? event.getChildren() : List.of(), sentAt);
			}
			if (this.looks.addAndGet(-answered) > 0) {
				lookOnce();
			}
		});
	}

	private void onLooked(Node node, List<String> children, long sentAt) {
		if (!children.contains(node.path.substring(this.parent.length() + 1))
				|| !this.sessions.isCurrent(node.stat.getEphemeralOwner())) {
			fail(new BackendException("the place in the queue has gone with its session", true, null));
			return;
		}
		String before = lastBefore(node, children);
		if (before == null) {
			LeaseTerm term = new LeaseTerm(sentAt,
					ZooKeeperLease.shorter(this.request.leaseTime(), this.calls.sessionLength()));
			ZooKeeperLease lease = new ZooKeeperLease(this.calls, this.sessions, node.path, node.stat,
					this.request.type() != LockType.SEMAPHORE, term);
			if (this.outcome.complete(lease)) {
				lease.begin(this.request.leaseTime());
				stopWatching();
			}
		}
		else if (this.mayWait) {
			this.behindOthers = true;
			watch(this.parent + "/" + before);
		}
		else if (this.outcome.complete(null)) {
			this.calls.remove(node.path);
		}
	}

	/**
	 * Return the last one in front, if there are so many that this one has to wait.
	 */
	private @Nullable String lastBefore(Node node, List<String> children) {
		int number = number(node.path);
		String last = null;
		int before = 0;
		for (String child : children) {
			boolean matters = !isReader() || child.startsWith(WRITER);
			// a difference, as the numbers wrap around
			if (matters && number(child) - number < 0) {
				before++;
				last = (last == null || number(child) - number(last) > 0) ? child : last;
			}
		}
		return (before < this.request.permits()) ? null : last;
	}

	private void watch(String path) {
		Watched current = this.watched.get();
		if (current != null && current.path.equals(path)) {
			return;
		}
		CuratorWatcher watcher = (event) -> {
			this.watched.set(null);
			look();
		};
		this.watched.set(new Watched(path, watcher));
		this.calls.watch(path, watcher).whenComplete((event, failure) -> {
			if (failure != null || event.getResultCode() == Code.NONODE.intValue()) {
				this.watched.set(null);
				look();
			}
			else if (this.outcome.isDone()) {
				stopWatching();
			}
		});
	}

	private void stopWatching() {
		Watched current = this.watched.getAndSet(null);
		if (current != null) {
			this.calls.stopWatching(current.path, current.watcher);
		}
	}

	private void giveUp() {
		stopWatching();
		Node node = this.own;
		if (node != null) {
			this.calls.remove(node.path);
		}
	}

	private void fail(Throwable failure) {
		this.outcome.completeExceptionally(ZooKeeperErrors.translate(failure));
		stopWatching();
	}

	private boolean isReader() {
		return this.request.type() == LockType.READ;
	}

	private static int number(String path) {
		return (int) Long.parseLong(path.substring(path.lastIndexOf('-') + 1));
	}

	private record Node(String path, Stat stat) {
	}

	private record Watched(String path, CuratorWatcher watcher) {
	}

}
