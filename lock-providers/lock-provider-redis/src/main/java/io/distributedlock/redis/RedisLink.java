package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

/**
 * One connection for commands and one for messages. No method blocks.
 */
final class RedisLink implements AutoCloseable {

	private static final Duration FIRST_CONNECT = Duration.ofSeconds(2);

	private final LazyConnection<StatefulConnection<String, String>> commands;

	private final LazyConnection<StatefulRedisPubSubConnection<String, String>> messages;

	private final Duration commandTimeout;

	RedisLink(AbstractRedisClient client, Duration commandTimeout) {
		this.commandTimeout = commandTimeout;
		if (client instanceof RedisClusterClient cluster) {
			this.commands = new LazyConnection<>(() -> cluster.connect(StringCodec.UTF8));
			this.messages = new LazyConnection<>(() -> cluster.connectPubSub(StringCodec.UTF8));
		}
		else {
			RedisClient single = (RedisClient) client;
			this.commands = new LazyConnection<>(() -> single.connect(StringCodec.UTF8));
			this.messages = new LazyConnection<>(() -> single.connectPubSub(StringCodec.UTF8));
		}
	}

	/**
	 * Call a script, and give it up after the command time-out.
	 * @return fails with what {@link RedisErrors#translate} understands; a
	 * {@link RedisErrors#isRefusal refusal} says that the server has surely not executed
	 * it
	 */
	CompletionStage<Long> send(RedisCall call) {
		CompletableFuture<StatefulConnection<String, String>> connection = this.commands.get();
		if (connection.isDone() && !connection.isCompletedExceptionally()) {
			return sendOver(connection.join(), call);
		}
		Duration timeout = connectTimeout();
		return connection.copy()
			.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(
					(failure instanceof TimeoutException) ? RedisErrors.noConnectionWithin(timeout) : failure))
			.thenCompose((opened) -> sendOver(opened, call));
	}

	/**
	 * Return the connection for messages. Not to be cancelled.
	 */
	CompletionStage<StatefulRedisPubSubConnection<String, String>> messages() {
		return this.messages.get();
	}

	@Override
	public void close() {
		this.commands.close();
		this.messages.close();
	}

	/**
	 * The first connection of a client takes far longer than a command. A server that
	 * could not be reached before is not waited for so long. Less than the time-out of
	 * the call, so that the reason shows and not only that time ran out.
	 */
	private Duration connectTimeout() {
		Duration most = this.commandTimeout.multipliedBy(2).dividedBy(3);
		return (this.commands.hasFailedToConnect() || most.compareTo(FIRST_CONNECT) > 0) ? most : FIRST_CONNECT;
	}

	private CompletionStage<Long> sendOver(StatefulConnection<String, String> connection, RedisCall call) {
		if (connection instanceof StatefulRedisConnection && !connection.isOpen()) {
			// Lettuce would keep the command until the server is back, and send it then
			return CompletableFuture.failedFuture(RedisErrors.disconnected());
		}
		return call.send(asyncCommands(connection), this.commandTimeout).exceptionallyCompose((failure) -> {
			boolean late = RedisErrors.unwrap(failure) instanceof TimeoutException;
			return CompletableFuture.failedFuture(late ? noAnswer(failure) : failure);
		});
	}

	private BackendException noAnswer(Throwable cause) {
		return RedisErrors.retryable("Redis did not answer within %d ms".formatted(this.commandTimeout.toMillis()),
				cause);
	}

	private static RedisClusterAsyncCommands<String, String> asyncCommands(
			StatefulConnection<String, String> connection) {
		return (connection instanceof StatefulRedisClusterConnection<String, String> cluster) ? cluster.async()
				: ((StatefulRedisConnection<String, String>) connection).async();
	}

}
