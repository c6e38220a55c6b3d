package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * One connection for commands and one for messages, both opened when they are first
 * needed: an application starts though its Redis is down. Lettuce opens them anew when
 * they are lost. No method blocks: the client connects on a thread of its own.
 */
final class RedisLink implements AutoCloseable {

	private static final Duration FIRST_CONNECT = Duration.ofSeconds(2);

	private final AtomicReference<@Nullable CompletableFuture<StatefulConnection<String, String>>> commands = new AtomicReference<>();

	private final AtomicReference<@Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>>> messages = new AtomicReference<>();

	private final AbstractRedisClient client;

	private final Duration commandTimeout;

	private volatile boolean failedToConnect;

	private volatile boolean closed;

	RedisLink(AbstractRedisClient client, Duration commandTimeout) {
		this.client = client;
		this.commandTimeout = commandTimeout;
	}

	/**
	 * Send a command, and give it up after the command time-out.
	 * @return fails with {@link BackendException}; a {@link RedisErrors#isRefusal
	 * refusal} says that the server has surely not executed it
	 */
	<T> CompletionStage<T> send(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
		CompletableFuture<StatefulConnection<String, String>> connection = commandConnection();
		if (connection.isDone() && !connection.isCompletedExceptionally()) {
			return sendOver(connection.join(), command);
		}
		return bounded(connection, connectTimeout()).thenCompose((opened) -> sendOver(opened, command));
	}

	/**
	 * Return the connection for messages.
	 */
	CompletionStage<StatefulRedisPubSubConnection<String, String>> messages() {
		return opened(this.messages,
				() -> (this.client instanceof RedisClusterClient cluster) ? cluster.connectPubSub(StringCodec.UTF8)
						: ((RedisClient) this.client).connectPubSub(StringCodec.UTF8));
	}

	@Override
	public void close() {
		this.closed = true;
		closeWhenOpened(this.commands.get());
		closeWhenOpened(this.messages.get());
	}

	/**
	 * The first connection of a client takes far longer than a command. A server that
	 * could not be reached before is not waited for longer than for a command.
	 */
	private Duration connectTimeout() {
		return (this.failedToConnect || this.commandTimeout.compareTo(FIRST_CONNECT) > 0) ? this.commandTimeout
				: FIRST_CONNECT;
	}

	private CompletableFuture<StatefulConnection<String, String>> commandConnection() {
		return opened(this.commands, () -> (this.client instanceof RedisClusterClient cluster)
				? cluster.connect(StringCodec.UTF8) : ((RedisClient) this.client).connect(StringCodec.UTF8));
	}

	private <T> CompletionStage<T> sendOver(StatefulConnection<String, String> connection,
			Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
		if (connection instanceof StatefulRedisConnection && !connection.isOpen()) {
			// Lettuce would keep the command until the server is back, and send it then
			return CompletableFuture.failedFuture(new RedisErrors.NotConnectedException(null));
		}
		return bounded(command.apply(asyncCommands(connection)).toCompletableFuture(), this.commandTimeout);
	}

	private <T> CompletableFuture<T> bounded(CompletableFuture<T> answer, Duration timeout) {
		if (answer.isDone()) {
			return answer;
		}
		return answer.copy().orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS).exceptionallyCompose((failure) -> {
			if (RedisErrors.unwrap(failure) instanceof TimeoutException) {
				// not sent yet: it is dropped; sent: its answer is
				answer.cancel(false);
				return CompletableFuture.failedFuture(RedisErrors
					.retryable("Redis did not answer within %d ms".formatted(timeout.toMillis()), failure));
			}
			return CompletableFuture.failedFuture(failure);
		});
	}

	private static RedisClusterAsyncCommands<String, String> asyncCommands(
			StatefulConnection<String, String> connection) {
		return (connection instanceof StatefulRedisClusterConnection<String, String> cluster) ? cluster.async()
				: ((StatefulRedisConnection<String, String>) connection).async();
	}

	private <C extends StatefulConnection<String, String>> CompletableFuture<C> opened(
			AtomicReference<@Nullable CompletableFuture<C>> holder, Supplier<C> connect) {
		while (true) {
			CompletableFuture<C> current = holder.get();
			if (current != null && !current.isCompletedExceptionally()) {
				return current;
			}
			CompletableFuture<C> opening = new CompletableFuture<>();
			if (holder.compareAndSet(current, opening)) {
				open(opening, connect);
				return opening;
			}
		}
	}

	private <C extends StatefulConnection<String, String>> void open(CompletableFuture<C> opening,
			Supplier<C> connect) {
		if (this.closed) {
			opening.completeExceptionally(new BackendException("the lock provider is closed", false, null));
			return;
		}
		Thread thread = new Thread(() -> {
			try {
				C connection = connect.get();
				opening.complete(connection);
				if (this.closed) {
					connection.closeAsync();
				}
			}
			catch (RuntimeException ex) {
				this.failedToConnect = true;
				if (this.closed) {
					opening.completeExceptionally(new RedisErrors.NotConnectedException(ex));
					return;
				}
				BackendException translated = RedisErrors.translate(ex);
				opening.completeExceptionally(
						translated.isRetryable() ? new RedisErrors.NotConnectedException(ex) : translated);
			}
		}, "lock-redis-connect");
		thread.setDaemon(true);
		thread.start();
	}

	private static void closeWhenOpened(
			@Nullable CompletableFuture<? extends StatefulConnection<String, String>> connection) {
		if (connection != null) {
			connection.thenAccept(StatefulConnection::closeAsync);
		}
	}

}
