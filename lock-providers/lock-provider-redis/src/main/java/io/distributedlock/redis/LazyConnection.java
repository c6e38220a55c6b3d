package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lettuce.core.api.StatefulConnection;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is opened when it is first needed: an application starts though its
 * Redis is down. There is one at a time, and one attempt to open it at a time, which goes
 * on though those who asked for it have given up. Lettuce opens it anew when it is lost;
 * where an application has turned that off, the next one who needs it does. Blocks
 * nobody: the client connects on a thread of its own.
 *
 * @param <C> the kind of connection
 */
final class LazyConnection<C extends StatefulConnection<String, String>> implements AutoCloseable {

	private final AtomicReference<@Nullable CompletableFuture<C>> current = new AtomicReference<>();

	private final Supplier<C> connect;

	private volatile boolean failedToConnect;

	private volatile boolean closed;

	LazyConnection(Supplier<C> connect) {
		this.connect = connect;
	}

	/**
	 * Return the connection, which all who ask share: not to be cancelled.
	 */
	CompletableFuture<C> get() {
		while (true) {
			CompletableFuture<C> found = this.current.get();
			if (found != null && isUsable(found)) {
				return found;
			}
			CompletableFuture<C> opening = new CompletableFuture<>();
			if (this.current.compareAndSet(found, opening)) {
				closeWhenOpened(found);
				open(opening);
				return opening;
			}
		}
	}

	/**
	 * Return whether the server could not be reached when it was last tried.
	 */
	boolean hasFailedToConnect() {
		return this.failedToConnect;
	}

	@Override
	public void close() {
		this.closed = true;
		closeWhenOpened(this.current.get());
	}

	private boolean isUsable(CompletableFuture<C> connection) {
		if (!connection.isDone()) {
			return true;
		}
		if (connection.isCompletedExceptionally()) {
			return false;
		}
		C opened = connection.join();
		return this.closed || opened.isOpen() || opened.getOptions().isAutoReconnect();
	}

	private void open(CompletableFuture<C> opening) {
		if (this.closed) {
			opening.completeExceptionally(RedisErrors.closed());
			return;
		}
		Thread thread = new Thread(() -> {
			try {
				C connection = this.connect.get();
				this.failedToConnect = false;
				opening.complete(connection);
				if (this.closed) {
					connection.closeAsync();
				}
			}
			catch (RuntimeException | Error ex) {
				this.failedToConnect = true;
				opening.completeExceptionally(this.closed ? RedisErrors.closed() : RedisErrors.notConnected(ex));
			}
		}, "lock-redis-connect");
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (Error ex) {
			opening.completeExceptionally(RedisErrors.notConnected(ex));
		}
	}

	private static void closeWhenOpened(@Nullable CompletableFuture<? extends StatefulConnection<?, ?>> connection) {
		if (connection != null) {
			connection.thenAccept(StatefulConnection::closeAsync);
		}
	}

}
