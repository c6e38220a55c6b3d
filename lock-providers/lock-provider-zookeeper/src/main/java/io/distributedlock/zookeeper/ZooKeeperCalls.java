package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.UnknownOwners;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;

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

	private final Duration commandTimeout;

	private final UnknownOwners unknownOwners = new UnknownOwners();

	private final ScheduledThreadPoolExecutor timer;

	ZooKeeperCalls(CuratorFramework client, Duration commandTimeout) {
		this.client = client;
		this.commandTimeout = commandTimeout;
		this.timer = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "lock-zookeeper-timer");
			thread.setDaemon(true);
			return thread;
		});
		this.timer.setRemoveOnCancelPolicy(true);
	}

	CompletableFuture<CuratorEvent> createInOrder(String path) {
		return send((callback) -> this.client.create()
			.creatingParentContainersIfNeeded()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.inBackground(callback)
			.forPath(path, new byte[0]));
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
		this.unknownOwners.remove(path, SESSION, () -> delete(path));
	}

	/**
	 * Delete in the background a node that may have been created though nobody was told.
	 */
	void removeByName(String parent, String name) {
		this.unknownOwners.remove(parent, SESSION,
				() -> send((callback) -> this.client.sync().inBackground(callback).forPath(parent))
					// a server that lags behind would not show it
					.thenCompose((synced) -> children(parent))
					.thenCompose((event) -> {
						Optional<String> found = (event.getChildren() != null)
								? event.getChildren().stream().filter((child) -> child.contains(name)).findFirst()
								: Optional.empty();
						return found.map((child) -> delete(parent + "/" + child))
							.orElseGet(() -> CompletableFuture.completedFuture(false));
					}));
	}

	/**
	 * Return how long the session outlives the last answer of a server, with what
	 * ZooKeeper may take to notice kept back.
	 */
	Duration sessionLength() {
		return Duration.ofMillis(this.client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs() * 2L / 3);
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
		CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
		try {
			command.send((sender, event) -> {
				Code code = Code.get(event.getResultCode());
				if (code == Code.OK || code == Code.NONODE) {
					answer.complete(event);
				}
				else {
					answer.completeExceptionally(ZooKeeperErrors.of(code));
				}
			});
		}
		// Curator declares no other
		catch (Exception ex) {
			answer.completeExceptionally(ZooKeeperErrors.notSent(ex));
		}
		return answer.orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS)
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
