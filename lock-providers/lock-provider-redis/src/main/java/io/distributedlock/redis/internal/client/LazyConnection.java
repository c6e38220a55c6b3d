package io.distributedlock.redis.internal.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.support.DaemonThreads;
import io.distributedlock.spi.support.DelayedTasks;
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

	private final AtomicReference<@Nullable Opening<C>> current = new AtomicReference<>();

	private final AtomicReference<@Nullable Opening<C>> replacement = new AtomicReference<>();

	private final AtomicReference<@Nullable C> retired = new AtomicReference<>();

	private final Supplier<AbstractRedisClient> client;

	private final Function<AbstractRedisClient, C> connect;

	private final Duration grace;

	private volatile Consumer<C> onOpened = (connection) -> {
	};

	private volatile @Nullable Throwable notConnected;

	private volatile boolean closed;

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
	}

	/**
	 * Return the connection. All callers share the same future, so it must not be
	 * cancelled.
	 */
	public CompletableFuture<C> get() {
		while (true) {
			Opening<C> found = this.current.get();
			if (found != null && isUsable(found)) {
				return found;
			}
			Opening<C> opening = new Opening<>();
			if (this.current.compareAndSet(found, opening)) {
				closeWhenOpened(found);
				open(opening, null);
				return opening;
			}
		}
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
		return this.retired.get();
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
		Opening<C> silent = this.current.get();
		Opening<C> under = this.replacement.get();
		if (silent == null) {
			return CompletableFuture.failedFuture(RedisErrors.disconnected(this.notConnected));
		}
		if (this.closed || !silent.isDone() || silent.isCompletedExceptionally() || this.retired.get() != null) {
			return silent;
		}
		if (under != null && !under.isCompletedExceptionally() && !under.isOverdue()) {
			return under;
		}
		Opening<C> opening = new Opening<>();
		if (this.replacement.compareAndSet(under, opening)) {
			open(opening, silent);
			return opening;
		}
		return replaceSilent();
	}

	boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		this.closed = true;
		// a client that shuts down meanwhile warns of each connection that is still
		// closing
		CompletableFuture
			.allOf(closeWhenOpened(this.current.get()), closeWhenOpened(this.replacement.get()), closeRetired())
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
			fail(opening, RedisErrors.closed());
			return;
		}
		Runnable connecting = () -> {
			C connection;
			try {
				connection = this.connect.apply(this.client.get());
			}
			catch (RuntimeException | Error ex) {
				this.notConnected = ex;
				fail(opening, this.closed ? RedisErrors.closed() : RedisErrors.notConnected(ex));
				return;
			}
			this.notConnected = null;
			complete(opening, connection, silent);
		};
		try {
			THREADS.newThread(connecting).start();
		}
		catch (Error ex) {
			fail(opening, RedisErrors.notConnected(ex));
		}
	}

	private void fail(Opening<C> opening, Throwable failure) {
		this.replacement.compareAndSet(opening, null);
		opening.completeExceptionally(failure);
	}

	private void complete(Opening<C> opening, C connection, @Nullable Opening<C> silent) {
		boolean needed = (silent != null) ? replace(silent, opening) : this.current.get() == opening;
		if (!needed) {
			close(connection);
			opening.completeExceptionally(RedisErrors.disconnected(null));
			return;
		}
		this.onOpened.accept(connection);
		opening.complete(connection);
		if (this.closed) {
			close(connection);
		}
		if (silent != null) {
			closeRetiredLater();
		}
	}

	/**
	 * Retire the silent connection first: a command over the new one must find it.
	 * @return {@code false} if the new connection is not needed
	 */
	private boolean replace(Opening<C> silent, Opening<C> opening) {
		boolean only = this.retired.compareAndSet(null, silent.join());
		if (this.replacement.compareAndSet(opening, null) && only && this.current.compareAndSet(silent, opening)) {
			return true;
		}
		if (only) {
			this.retired.set(null);
		}
		return false;
	}

	private void closeRetiredLater() {
		DelayedTasks.after(this.grace).execute(this::closeRetired);
		if (this.closed) {
			closeRetired();
		}
	}

	private CompletableFuture<Void> closeRetired() {
		C silent = this.retired.getAndSet(null);
		return (silent != null) ? close(silent) : NOTHING_TO_CLOSE;
	}

	/**
	 * Return a future that is done when a connection that was open is closed.
	 */
	private static CompletableFuture<Void> closeWhenOpened(
			@Nullable CompletableFuture<? extends StatefulConnection<?, ?>> connection) {
		if (connection == null) {
			return NOTHING_TO_CLOSE;
		}
		boolean open = connection.isDone();
		CompletableFuture<Void> closing = connection.thenCompose(LazyConnection::close);
		return open ? closing : NOTHING_TO_CLOSE;
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
