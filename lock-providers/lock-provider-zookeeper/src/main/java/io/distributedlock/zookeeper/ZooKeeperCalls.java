package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.UnknownOwners;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * The commands that locks are made of, each given up after the command time-out. They
 * complete with what ZooKeeper answered, whether a node is there or not, and fail with
 * {@link BackendException} otherwise.
 */
final class ZooKeeperCalls implements AutoCloseable {

	/**
	 * What may have been left lives as long as the session: it is removed however late.
	 */
	private static final Duration SESSION = Duration.ofDays(1);

	private final CuratorFramework client;

	private final Connection connection;

	private final Duration commandTimeout;

	private final UnknownOwners unknownOwners = new UnknownOwners();

	private final ScheduledThreadPoolExecutor timer;

	ZooKeeperCalls(CuratorFramework client, Connection connection, Duration commandTimeout) {
		this.client = client;
		this.connection = connection;
		this.commandTimeout = commandTimeout;
		this.timer = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "lock-zookeeper-timer");
			thread.setDaemon(true);
			return thread;
		});
		this.timer.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Create a node at the end of the order. If that fails, and also if it is answered
	 * when nobody waits for it any more, what it has left is removed.
	 * @param parent the node of the lock
	 * @param name what the names of this maker's nodes start with, and nobody else's
	 * @param patience how long the maker waits
	 */
	CompletableFuture<CuratorEvent> createInOrder(String parent, String name, Duration patience) {
		Duration timeout = ZooKeeperLease.shorter(patience, this.commandTimeout);
		return send(timeout,
				(callback) -> this.client.create()
					.creatingParentContainersIfNeeded()
					.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
					.inBackground(callback)
					.forPath(parent + "/" + name, new byte[0]),
				() -> removeByName(parent, name));
	}

	/**
	 * Write to a node: a proof of its session, since the leader orders it and a majority
	 * takes it down. A read proves nothing, a server that is cut off answers it.
	 */
	CompletableFuture<CuratorEvent> prove(String path) {
		return send((callback) -> this.client.setData().inBackground(callback).forPath(path, new byte[0]));
	}

	CompletableFuture<CuratorEvent> children(String path) {
		return send((callback) -> this.client.getChildren().inBackground(callback).forPath(path));
	}

	CompletableFuture<CuratorEvent> look(String path) {
		return send((callback) -> this.client.checkExists().inBackground(callback).forPath(path));
	}

	/**
	 * Be told once when a node goes. Leaves no watch if it is gone already.
	 */
	CompletableFuture<CuratorEvent> watch(String path, CuratorWatcher watcher) {
		return send((callback) -> this.client.getData().usingWatcher(watcher).inBackground(callback).forPath(path));
	}

	void stopWatching(String path, CuratorWatcher watcher) {
		send((callback) -> this.client.watchers().remove(watcher).quietly().inBackground(callback).forPath(path));
	}

	/**
	 * Put a node in the place of another one, in one step.
	 * @return completes also if the other one is not there, or the step was made before
	 */
	CompletableFuture<CuratorEvent> replace(String path, String replacement) {
		return send((callback) -> this.client.transaction()
			.inBackground(callback)
			.forOperations(this.client.transactionOp()
				.create()
				.withMode(CreateMode.EPHEMERAL)
				.forPath(replacement, new byte[0]), this.client.transactionOp().delete().forPath(path)));
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
	 * Delete a node and one that may have come in its place. In this order: once the
	 * first is gone nothing comes in its place any more.
	 * @return completes with whether one of them was there
	 */
	CompletableFuture<Boolean> delete(String path, String replacement) {
		return delete(path).thenCompose((deleted) -> delete(replacement).thenApply((replaced) -> deleted || replaced));
	}

	/**
	 * As {@link #delete(String, String)}, in the background.
	 */
	void remove(String path, String replacement) {
		this.unknownOwners.remove(path, SESSION, () -> ifWorthwhile(delete(path, replacement)));
	}

	/**
	 * Delete in the background the nodes that may have been created though nobody was
	 * told.
	 */
	void removeByName(String parent, String name) {
		this.unknownOwners.remove(parent, SESSION,
				() -> ifWorthwhile(send((callback) -> this.client.sync().inBackground(callback).forPath(parent))
					// a server that lags behind would not show them
					.thenCompose((synced) -> children(parent))
					.thenCompose((event) -> deleteAll(parent, event.getChildren(), name))));
	}

	/**
	 * End the tries where another one would fail as well: the client was closed, and its
	 * nodes go with its session, or the user lacks the right.
	 */
	private static CompletableFuture<Boolean> ifWorthwhile(CompletableFuture<Boolean> removal) {
		return removal.exceptionallyCompose((failure) -> ZooKeeperErrors.translate(failure).isRetryable()
				? CompletableFuture.failedFuture(failure) : CompletableFuture.completedFuture(false));
	}

	private CompletableFuture<Boolean> deleteAll(String parent, @Nullable List<String> children, String name) {
		CompletableFuture<Boolean> deleted = CompletableFuture.completedFuture(false);
		for (String child : (children != null) ? children : List.<String>of()) {
			if (child.startsWith(name)) {
				deleted = deleted.thenCombine(delete(parent + "/" + child), (before, last) -> before || last);
			}
		}
		return deleted;
	}

	/**
	 * Return how long a node can be relied on from before the request that has proved its
	 * session. The leader lets a session run anew when a server tells it of the client's
	 * last sign of life: that is up to a third of the session old, as often as a client
	 * gives one, and told up to half a tick later, which is at most a quarter of the
	 * shortest session.
	 */
	Duration provenLength() {
		return Duration.ofMillis(this.client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs() * 2L / 5);
	}

	Future<?> later(Duration delay, Runnable task) {
		try {
			return this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.completedFuture(null);
		}
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.unknownOwners.close();
	}

	private CompletableFuture<CuratorEvent> send(Command command) {
		return send(this.commandTimeout, command, () -> {
		});
	}

	/**
	 * Send a command unless it has been given up before there is a connection.
	 * @param onUnknown called when Curator is done with the command and nobody knows what
	 * it has left: its answer was lost, or came when it had been given up
	 */
	private CompletableFuture<CuratorEvent> send(Duration timeout, Command command, Runnable onUnknown) {
		CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
		BackgroundCallback callback = (sender, event) -> {
			Code code = Code.get(event.getResultCode());
			boolean answered = code == Code.OK || code == Code.NONODE || code == Code.NODEEXISTS;
			boolean inTime = answered ? answer.complete(event) : answer.completeExceptionally(ZooKeeperErrors.of(code));
			if (!answered || !inTime) {
				onUnknown.run();
			}
		};
		Runnable sending = () -> {
			try {
				if (!answer.isDone()) {
					command.send(callback);
				}
			}
			// Curator declares no other
			catch (Exception ex) {
				answer.completeExceptionally(ZooKeeperErrors.notSent(ex));
			}
		};
		CompletableFuture<CuratorEvent> bounded = answer.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
			.whenComplete((event, failure) -> this.connection.forget(sending));
		this.connection.whenConnected(sending);
		return bounded
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(ZooKeeperErrors.translate(failure)));
	}

	/**
	 * A command of Curator.
	 */
	@FunctionalInterface
	private interface Command {

		void send(BackgroundCallback callback) throws Exception;

	}

}
