package io.distributedlock.zookeeper;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.spi.support.Mutex;
import io.distributedlock.spi.support.SharedWatch;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.jspecify.annotations.Nullable;

/**
 * One watch on all nodes of a lock, for all places of this JVM in its queue. The server
 * keeps it until it is ended, and says which node has come or gone. Thread-safe.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class QueueWatch extends SharedWatch<QueueWatch.Waiter> {

	/**
	 * How many nodes are remembered. An answer that lists a node which has gone may be
	 * dealt with after that event.
	 */
	private static final int REMEMBERED = 1000;

	private final ZooKeeperCalls calls;

	private final Connection connection;

	private final String parent;

	/**
	 * The nodes that have gone, the last of them.
	 */
	private final Set<String> gone = Collections
		.newSetFromMap(Collections.synchronizedMap(new LinkedHashMap<String, Boolean>() {

			private static final long serialVersionUID = 1L;

			@Override
			protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
				return size() > REMEMBERED;
			}

		}));

	private final CuratorWatcher watcher = this::onEvent;

	private @Nullable CompletableFuture<Boolean> beginning;

	private final Mutex mutex = new Mutex();

	/**
	 * The session of the client to which the server reports, zero for none.
	 */
	private volatile long session;

	QueueWatch(ZooKeeperCalls calls, Connection connection, String parent) {
		this.calls = calls;
		this.connection = connection;
		this.parent = parent;
	}

	/**
	 * Return whether the server reports what happens from now on.
	 */
	boolean isActive() {
		long reported = this.session;
		return reported != 0 && this.connection.isCurrent(reported);
	}

	/**
	 * Ask the server to report.
	 * @return completes with whether it does, or did for a session that has ended since;
	 * what happened before is not reported
	 */
	CompletableFuture<Boolean> begin() {
		return this.mutex.get(() -> {
			CompletableFuture<Boolean> running = this.beginning;
			if (running == null || running.isDone()) {
				long current = this.connection.session();
				running = this.calls.watchAll(this.parent, this.watcher).handle((event, failure) -> {
					// otherwise the server is too old or refuses: the place polls
					boolean set = failure == null && event.getResultCode() == Code.OK.intValue();
					if (set) {
						// the client may have connected only to send this
						this.session = (current != 0) ? current : this.connection.session();
					}
					return set;
				});
				this.beginning = running;
			}
			return running;
		});
	}

	/**
	 * Return whether a node has gone, as far as that is remembered.
	 */
	boolean hasGone(String name) {
		return this.gone.contains(name);
	}

	@Override
	protected void end() {
		this.session = 0;
		// also if the answer came late: the server reports in any case
		this.calls.stopWatchingAll(this.parent);
	}

	private void onEvent(WatchedEvent event) {
		EventType type = event.getType();
		if (type == EventType.NodeDeleted) {
			String name = event.getPath().substring(event.getPath().lastIndexOf('/') + 1);
			this.gone.add(name);
			waiters().forEach((waiter) -> waiter.gone(name));
		}
		else if (type == EventType.PersistentWatchRemoved) {
			// perhaps by another provider with the same client
			this.session = 0;
			waiters().forEach(Waiter::missed);
		}
		else if (type == EventType.None && event.getState() != KeeperState.Disconnected) {
			// the client is connected again, or its session has ended
			waiters().forEach(Waiter::missed);
		}
	}

	/**
	 * A place of this JVM in the queue.
	 */
	interface Waiter {

		/**
		 * Called when a node has gone.
		 * @param name the name of the node
		 */
		void gone(String name);

		/**
		 * Called when events may have been missed.
		 */
		void missed();

	}

}
