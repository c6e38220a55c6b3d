package io.distributedlock.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Watches one node at a time, and sends one signal when that node has gone.
 */
final class NodeWatch {

	private final ZooKeeperCalls calls;

	private final Runnable onSignal;

	private final AtomicReference<@Nullable Watched> watched = new AtomicReference<>();

	/**
	 * Create a watch on no node.
	 * @param onSignal called on any thread, and sometimes for a node that was watched
	 * before
	 */
	NodeWatch(ZooKeeperCalls calls, Runnable onSignal) {
		this.calls = calls;
		this.onSignal = onSignal;
	}

	/**
	 * Watch a node, unless it is watched already.
	 * @return completes when the server has set the watch, or has said that the node is
	 * not there, which is a signal too; fails without a signal if the server refuses: an
	 * immediate second try could be refused as fast, in a loop without end. The next poll
	 * tries again
	 */
	CompletionStage<?> begin(String path) {
		Watched current = this.watched.get();
		if (current != null && current.path.equals(path)) {
			return CompletableFuture.completedFuture(current);
		}
		CuratorWatcher watcher = (event) -> {
			// None is a change of the connection: ZooKeeper's client sets its watches
			// again when it has connected again
			if (event.getType() != EventType.None) {
				signal();
			}
		};
		this.watched.set(new Watched(path, watcher));
		return this.calls.watch(path, watcher).whenComplete((event, failure) -> {
			if (failure != null) {
				this.watched.set(null);
			}
			else if (event.getResultCode() == Code.NONODE.intValue()) {
				signal();
			}
		});
	}

	void end() {
		Watched current = this.watched.getAndSet(null);
		if (current != null) {
			this.calls.stopWatching(current.path, current.watcher);
		}
	}

	/**
	 * ZooKeeper has used up the watch: the next look begins another one.
	 */
	private void signal() {
		this.watched.set(null);
		this.onSignal.run();
	}

	private record Watched(String path, CuratorWatcher watcher) {
	}

}
