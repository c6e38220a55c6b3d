package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.UnknownOwners;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.WatcherType;

/**
 * The commands that locks use. Each fails shortly before the command time-out at the
 * latest. A command completes with ZooKeeper's answer, also if that is that a node is
 * there already, is not there or has nodes below it, and fails with
 * {@link BackendException} otherwise.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class ZooKeeperCalls implements AutoCloseable {

	/**
	 * How long to try to remove a node that nobody uses. Such a node lives as long as the
	 * session, which may be as long as the application runs; after a day without any
	 * answer the session has ended.
	 */
	private static final Duration SESSION = Duration.ofDays(1);

	private final CuratorFramework client;

	private final Connection connection;

	private final Duration commandTimeout;

	private final UnknownOwners unknownOwners = new UnknownOwners();

	ZooKeeperCalls(CuratorFramework client, Connection connection, Duration commandTimeout) {
		this.client = client;
		this.connection = connection;
		// before the engine's own time-out, which does not say where ZooKeeper is
		this.commandTimeout = commandTimeout.multipliedBy(9).dividedBy(10);
	}

	/**
	 * Create a node at the end of the order. If that fails, or is answered after the
	 * owner has stopped waiting, what it has left is removed.
	 * @param parent the node of the lock
	 * @param name what the names of this owner's nodes start with, and of nobody else's
	 * @param patience how long the owner waits
	 */
	CompletableFuture<CuratorEvent> createInOrder(String parent, String name, Duration patience) {
		return send(patience,
				(callback) -> this.client.create()
					.creatingParentContainersIfNeeded()
					.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
					.inBackground(callback)
					.forPath(parent + "/" + name, new byte[0]),
				() -> removeByName(parent, name));
	}

	/**
	 * Create the node of an owner as the only one of a lock: replace the node of the lock
	 * by a new one that has this node, in one transaction. As {@link #createInOrder} in
	 * all else.
	 * @param name what the names of this owner's nodes start with, and of nobody else's
	 * @param path the path of the node
	 * @param known whether the node of the lock is there; if not, only its parent is
	 * @return completes also if the node of the lock has other nodes, or is there or not
	 * in contrast to what was expected
	 */
	CompletableFuture<CuratorEvent> createAlone(String parent, String name, String path, boolean known,
			Duration patience) {
		return send(patience, (callback) -> {
			List<CuratorOp> operations = new ArrayList<>();
			if (known) {
				operations.add(this.client.transactionOp().delete().forPath(parent));
			}
			operations
				.add(this.client.transactionOp().create().withMode(CreateMode.CONTAINER).forPath(parent, new byte[0]));
			operations
				.add(this.client.transactionOp().create().withMode(CreateMode.EPHEMERAL).forPath(path, new byte[0]));
			this.client.transaction().inBackground(callback).forOperations(operations);
		}, () -> removeByName(parent, name));
	}

	/**
	 * Write to a node. This proves that its session lives, since the leader orders the
	 * write and a majority records it. A read proves nothing: a server that is cut off
	 * from the leader answers it too.
	 */
	CompletableFuture<CuratorEvent> prove(String path) {
		return send((callback) -> this.client.setData().inBackground(callback).forPath(path, new byte[0]));
	}

	/**
	 * List the nodes below a node, none if that is not there.
	 */
	CompletableFuture<List<String>> children(String path) {
		return children(path, this.commandTimeout);
	}

	/**
	 * As {@link #children(String)}, for an owner who stops waiting perhaps sooner.
	 */
	CompletableFuture<List<String>> children(String path, Duration patience) {
		return send(patience, (callback) -> this.client.getChildren().inBackground(callback).forPath(path), () -> {
		}).thenApply((event) -> (event.getChildren() != null) ? event.getChildren() : List.of());
	}

	CompletableFuture<CuratorEvent> look(String path) {
		return send((callback) -> this.client.checkExists().inBackground(callback).forPath(path));
	}

	/**
	 * Let the server catch up with the leader. A server without a leader does not answer
	 * that, and the user needs no right for it.
	 */
	CompletableFuture<CuratorEvent> sync(String path) {
		return send((callback) -> this.client.sync().inBackground(callback).forPath(path));
	}

	/**
	 * Watch a node and all below it until the watch is ended. To be told, a client needs
	 * the right to read what has changed.
	 */
	CompletableFuture<CuratorEvent> watchAll(String path, CuratorWatcher watcher) {
		return send((callback) -> this.client.watchers()
			.add()
			.withMode(AddWatchMode.PERSISTENT_RECURSIVE)
			.inBackground(callback)
			.usingWatcher(watcher)
			.forPath(path));
	}

	/**
	 * End the watch on a node and all below it, until ZooKeeper has said that it has
	 * ended: a client that is connected again sets its watches again. If a single watcher
	 * is removed, the server goes on sending its events.
	 */
	void stopWatchingAll(String path) {
		this.unknownOwners.remove(path, SESSION,
				() -> ifWorthwhile(send((callback) -> this.client.watchers()
					.removeAll()
					.ofType(WatcherType.Any)
					.quietly()
					.inBackground(callback)
					.forPath(path)).thenApply((event) -> true)));
	}

	/**
	 * Delete a node.
	 * @return completes with whether it was there
	 */
	CompletableFuture<Boolean> delete(String path) {
		return send((callback) -> this.client.delete().inBackground(callback).forPath(path))
			.thenApply((event) -> event.getResultCode() == Code.OK.intValue());
	}

	/**
	 * Delete a node in the background, until ZooKeeper has said that it is gone.
	 */
	void remove(String path) {
		this.unknownOwners.remove(path, SESSION, () -> ifWorthwhile(delete(path)));
	}

	/**
	 * Delete in the background the nodes that may have been created though the answer was
	 * lost.
	 */
	void removeByName(String parent, String name) {
		this.unknownOwners.remove(parent, SESSION, () -> ifWorthwhile(sync(parent)
			// a server that is behind the leader would not list them
			.thenCompose((synced) -> children(parent))
			.thenCompose((children) -> deleteAll(parent, children, name))));
	}

	/**
	 * Stop trying where another try would fail too: the client was closed, so that its
	 * nodes end with its session, or the user lacks the right.
	 */
	private CompletionStage<Boolean> ifWorthwhile(CompletableFuture<Boolean> removal) {
		return Failures.orElse(removal, (failure) -> !translate(failure).isRetryable(),
				() -> CompletableFuture.completedFuture(false));
	}

	private CompletableFuture<Boolean> deleteAll(String parent, List<String> children, String name) {
		CompletableFuture<Boolean> deleted = CompletableFuture.completedFuture(false);
		for (String child : children) {
			if (child.startsWith(name)) {
				deleted = deleted.thenCombine(delete(parent + "/" + child), (before, last) -> before || last);
			}
		}
		return deleted;
	}

	/**
	 * Return how long a holder may rely on a node, counted from before the request that
	 * has proved its session: two fifths of the session time-out. The leader counts a
	 * session from the client's last sign of life that a server has reported. That sign
	 * may be a third of the session old, as clients send one that often. The server
	 * reports it up to half a tick later, and as a session has at least two ticks, that
	 * is at most a quarter of it. 1 - 1/3 - 1/4 = 5/12, which is more than two fifths.
	 */
	Duration provenLength() {
		return Duration.ofMillis(this.client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs() * 2L / 5);
	}

	@Override
	public void close() {
		this.unknownOwners.close();
	}

	private CompletableFuture<CuratorEvent> send(Command command) {
		return send(this.commandTimeout, command, () -> {
		});
	}

	/**
	 * Send a command as soon as there is a connection, unless its time-out comes first.
	 * @param patience how long the caller waits
	 * @param onUnknown called when Curator has finished the command and nobody knows what
	 * it has left: its answer was lost, or came after the time-out
	 */
	private CompletableFuture<CuratorEvent> send(Duration patience, Command command, Runnable onUnknown) {
		Duration timeout = ZooKeeperLease.shorter(patience, this.commandTimeout);
		long until = System.nanoTime() + timeout.toNanos();
		CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
		BackgroundCallback callback = (sender, event) -> {
			Code code = Code.get(event.getResultCode());
			boolean answered = code == Code.OK || code == Code.NONODE || code == Code.NODEEXISTS
					|| code == Code.NOTEMPTY;
			boolean inTime = answered ? answer.complete(event)
					: answer.completeExceptionally(ZooKeeperErrors.of(code, servers()));
			if (!answered || !inTime) {
				onUnknown.run();
			}
		};
		Runnable sending = () -> {
			try {
				if (System.nanoTime() - until < 0) {
					command.send(callback);
				}
			}
			// Curator declares no narrower type
			catch (Exception ex) {
				answer.completeExceptionally(ZooKeeperErrors.notSent(ex));
			}
		};
		CompletableFuture<CuratorEvent> bounded = answer.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
			.whenComplete((event, failure) -> this.connection.forget(sending));
		this.connection.whenConnected(sending);
		return bounded.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(translate(failure)));
	}

	BackendException translate(Throwable failure) {
		return ZooKeeperErrors.translate(failure, servers());
	}

	private String servers() {
		return this.client.getZookeeperClient().getCurrentConnectionString();
	}

	/**
	 * A command of Curator.
	 */
	@FunctionalInterface
	private interface Command {

		void send(BackgroundCallback callback) throws Exception;

	}

}
