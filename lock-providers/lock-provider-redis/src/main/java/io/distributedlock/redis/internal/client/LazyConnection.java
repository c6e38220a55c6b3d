package io.distributedlock.redis.internal.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.support.DaemonThreads;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Mutex;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is opened when it is first needed, so that an application starts
 * although its Redis is down. There is one connection at a time, and one attempt to open
 * it. The attempt continues although the callers that asked for the connection have given
 * up. Lettuce reopens a lost connection; if an application has turned that off, the next
 * caller opens a new one, as it does where the application has another client meanwhile.
 * A connection that does not answer, although nothing has closed it, is replaced. No
 * method blocks: the client connects on its own thread.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 *
 * @param <C> the type of connection
 */
public final class LazyConnection<C extends StatefulConnection<String, String>> implements AutoCloseable {

	private static final DaemonThreads THREADS = new DaemonThreads("lock-redis-connect");

	private static final CompletableFuture<Void> NOTHING_TO_CLOSE = CompletableFuture.allOf();

	private static final long CLOSING_SECONDS = 1;

	private final Supplier<AbstractRedisClient> client;

	private final Function<AbstractRedisClient, C> connect;

	private final Duration grace;

	/**
	 * Guards each change of the following four. What is to be opened or closed then is so
	 * after it: that may complete what others wait for.
	 */
	private final Mutex mutex = new Mutex();

	private volatile Opening<C> current = new Opening<>();

	private volatile Opening<C> replacement = this.current;

	private volatile @Nullable C retired;

	private volatile boolean closed;

	private volatile Consumer<C> onOpened = (connection) -> {
	};

	private volatile @Nullable Throwable notConnected;

	/**
	 * Create a connection that is not open yet.
	 * @param client gives the client; throws an exception if there is none at present
	 * @param connect opens it, and may block
	 * @param grace how long a connection that was replaced stays open
	 */
	public LazyConnection(Supplier<AbstractRedisClient> client, Function<AbstractRedisClient, C> connect,
			Duration grace) {
		this.client = client;
		this.connect = connect;
		this.grace = grace;
		this.current.completeExceptionally(RedisErrors.disconnected(null));
	}

	/**
	 * Return the connection. All callers share the same future, so it must not be
	 * cancelled.
	 */
	public CompletableFuture<C> get() {
		Opening<C> found = this.current;
		if (isUsable(found)) {
			return found;
		}
		Opening<C> opening = new Opening<>();
		Opening<C> now = this.mutex.get(() -> {
			if (this.current == found) {
				this.current = opening;
			}
			return this.current;
		});
		if (now == opening) {
			closeWhenOpened(found);
			open(opening, null);
		}
		return now;
	}

	/**
	 * Return why the last attempt to connect has failed, {@code null} if it has not.
	 */
	@Nullable Throwable notConnected() {
		return this.notConnected;
	}

	/**
	 * Return the connection that was replaced and is still open, {@code null} if there is
	 * none. Commands that were sent over it may still arrive. A command that is sent over
	 * it now arrives after those, or not at all.
	 */
	@Nullable C retired() {
		return this.retired;
	}

	/**
	 * Set what to call with each connection before anybody uses it.
	 */
	public void onOpened(Consumer<C> listener) {
		this.onOpened = listener;
	}

	/**
	 * Replace the connection, which does not answer, or leads to a replica. A firewall or
	 * a dead server may have dropped it without a message, and TCP notices that only
	 * after about 15 minutes. A second connection is opened, and replaces the first one
	 * once the server has answered over it.
	 * @return the second connection, or the first one if it is not replaced now. Not to
	 * be cancelled
	 */
	public CompletableFuture<C> replaceSilent() {
		Opening<C> silent = this.current;
		Opening<C> opening = new Opening<>();
		Opening<C> now = this.mutex.get(() -> {
			if (this.closed || !silent.isDone() || silent.isCompletedExceptionally() || this.retired != null
					|| this.current != silent) {
				return this.current;
			}
			if (this.replacement.isDone() || this.replacement.isOverdue()) {
				this.replacement = opening;
			}
			return this.replacement;
		});
		if (now == opening) {
			open(opening, silent);
		}
		return now;
	}

	boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		// what begins later finds it closed
		this.mutex.run(() -> this.closed = true);
		// a client that shuts down meanwhile warns of each connection that is still
		// closing
		CompletableFuture.allOf(closeWhenOpened(this.current), closeWhenOpened(this.replacement), closeRetired())
			.orTimeout(CLOSING_SECONDS, TimeUnit.SECONDS)
			.exceptionally((failure) -> null)
			.join();
	}

	private boolean isUsable(Opening<C> connection) {
		if (!connection.isDone()) {
			return !connection.isOverdue();
		}
		if (connection.isCompletedExceptionally()) {
			return false;
		}
		C opened = connection.join();
		return this.closed || opened.isOpen() || (opened.getOptions().isAutoReconnect() && !isClosed(opened));
	}

	/**
	 * Return whether a connection was closed for good, with its client.
	 */
	private static boolean isClosed(StatefulConnection<?, ?> connection) {
		return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
	}

	private static CompletableFuture<Void> close(StatefulConnection<?, ?> connection) {
		return isClosed(connection) ? NOTHING_TO_CLOSE : connection.closeAsync();
	}

	private void open(Opening<C> opening, @Nullable Opening<C> silent) {
		if (this.closed) {
			opening.completeExceptionally(RedisErrors.closed());
			return;
		}
		Runnable connecting = () -> {
			C connection;
			try {
				connection = this.connect.apply(this.client.get());
			}
			catch (RuntimeException | Error ex) {
				this.notConnected = ex;
				opening.completeExceptionally(this.closed ? RedisErrors.closed() : RedisErrors.notConnected(ex));
				return;
			}
			this.notConnected = null;
			complete(opening, connection, silent);
		};
		try {
			THREADS.newThread(connecting).start();
		}
		catch (Error ex) {
			opening.completeExceptionally(RedisErrors.notConnected(ex));
		}
	}

	private void complete(Opening<C> opening, C connection, @Nullable Opening<C> silent) {
		if (!this.mutex.get(() -> (silent != null) ? replaces(silent, opening) : this.current == opening)) {
			close(connection);
			opening.completeExceptionally(RedisErrors.disconnected(null));
			return;
		}
		this.onOpened.accept(connection);
		opening.complete(connection);
		if (silent != null) {
			DelayedTasks.after(this.closed ? Duration.ZERO : this.grace).execute(this::closeRetired);
		}
	}

	/**
	 * Retire the silent connection first: a command over the new one must find it.
	 * @return {@code false} if the new connection is not needed
	 */
	private boolean replaces(Opening<C> silent, Opening<C> opening) {
		if (this.retired != null || this.replacement != opening || this.current != silent) {
			return false;
		}
		this.retired = silent.join();
		this.current = opening;
		return true;
	}

	private CompletableFuture<Void> closeRetired() {
		C silent = this.mutex.<@Nullable C>get(() -> {
			C before = this.retired;
			this.retired = null;
			return before;
		});
		return (silent != null) ? close(silent) : NOTHING_TO_CLOSE;
	}

	/**
	 * Return a future that is done when a connection that was open is closed.
	 */
	private static CompletableFuture<Void> closeWhenOpened(
			CompletableFuture<? extends StatefulConnection<?, ?>> connection) {
		CompletableFuture<Void> closing = connection.thenCompose(LazyConnection::close);
		return connection.isDone() ? closing : NOTHING_TO_CLOSE;
	}

	/**
	 * A connection, or an attempt to open it.
	 *
	 * @param <C> the type of connection
	 */
	private static final class Opening<C> extends CompletableFuture<C> {

		/**
		 * The server may accept a connection and then not answer. By default a client
		 * waits for a minute: too long for callers that wait for a lock.
		 */
		private static final long OVERDUE_NANOS = Duration.ofSeconds(10).toNanos();

		private final long begunAt = System.nanoTime();

		boolean isOverdue() {
			return System.nanoTime() - this.begunAt > OVERDUE_NANOS;
		}

	}

}
