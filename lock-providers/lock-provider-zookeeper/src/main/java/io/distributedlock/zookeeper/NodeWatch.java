package io.distributedlock.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Watches one node at a time, to tell once when it goes.
 */
final class NodeWatch {

	private final ZooKeeperCalls calls;

	private final Runnable onGone;

	private final AtomicReference<@Nullable Watched> watched = new AtomicReference<>();

	NodeWatch(ZooKeeperCalls calls, Runnable onGone) {
		this.calls = calls;
		this.onGone = onGone;
	}

	/**
	 * Watch a node, unless it is watched already.
	 * @return completes when the server knows; fails if the server refuses, which tells
	 * nobody: to ask again at once could be refused as fast, for ever
	 */
	CompletionStage<?> begin(String path) {
		Watched current = this.watched.get();
		if (current != null && current.path.equals(path)) {
			return CompletableFuture.completedFuture(current);
		}
		CuratorWatcher watcher = (event) -> {
			// a change of the connection leaves the watch where it is
			if (event.getType() != EventType.None) {
				tell();
			}
		};
		this.watched.set(new Watched(path, watcher));
		return this.calls.watch(path, watcher).whenComplete((event, failure) -> {
			if (failure != null) {
				this.watched.set(null);
			}
			else if (event.getResultCode() == Code.NONODE.intValue()) {
				tell();
			}
		});
	}

	void end() {
		Watched current = this.watched.getAndSet(null);
		if (current != null) {
			this.calls.stopWatching(current.path, current.watcher);
		}
	}

	private void tell() {
		this.watched.set(null);
		this.onGone.run();
	}

	private record Watched(String path, CuratorWatcher watcher) {
	}

}
