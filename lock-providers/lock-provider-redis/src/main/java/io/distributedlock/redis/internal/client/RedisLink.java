package io.distributedlock.redis.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.CommandTimeouts;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ServerErrors;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.spi.support.Failures;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection for commands and one for messages. Both are replaced when commands are
 * not answered, or by a replica. No method blocks.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 */
public final class RedisLink implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RedisLink.class);

	/**
	 * How long the first connection may take in a JVM that has just started: it loads the
	 * classes of the client and starts its threads.
	 */
	private static final Duration FIRST_CONNECT = Duration.ofSeconds(2);

	private final LazyConnection<StatefulConnection<String, String>> commands;

	private final LazyConnection<StatefulRedisPubSubConnection<String, String>> messages;

	private final Duration commandTimeout;

	private final Topology topology;

	/**
	 * By node of a cluster, as one may be silent while others answer.
	 */
	private final ConcurrentHashMap<String, UnansweredTime> silences = new ConcurrentHashMap<>();

	private final AtomicBoolean doubting = new AtomicBoolean();

	private final Shortfalls shortfalls = new Shortfalls(logger::warn);

	private volatile boolean used;

	public RedisLink(AbstractRedisClient client, Duration commandTimeout) {
		this(() -> client, client instanceof RedisClusterClient, commandTimeout);
	}

	/**
	 * Create a link that is not connected yet.
	 * @param client gives the client of the application, which may be another one after
	 * the application was stopped and started
	 * @param cluster whether it is one for clusters
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public RedisLink(Supplier<AbstractRedisClient> client, boolean cluster, Duration commandTimeout) {
		this.commandTimeout = commandTimeout;
		// a replaced connection stays open until all callers that used it have given up
		Duration grace = commandTimeout.multipliedBy(2);
		this.topology = new Topology(
				cluster ? () -> ((RedisClusterClient) client.get()).refreshPartitionsAsync() : null);
		this.commands = new LazyConnection<>(client, (from) -> (from instanceof RedisClusterClient nodes)
				? nodes.connect(StringCodec.UTF8) : ((RedisClient) from).connect(StringCodec.UTF8), grace);
		this.messages = new LazyConnection<>(client, (from) -> (from instanceof RedisClusterClient nodes)
				? nodes.connectPubSub(StringCodec.UTF8) : ((RedisClient) from).connectPubSub(StringCodec.UTF8), grace);
	}

	/**
	 * Call a script, and give up after the command time-out.
	 * @return completes with the script's answer; fails with an exception that
	 * {@link RedisErrors#translate} understands. If it is a {@link RedisErrors#isRefusal
	 * refusal}, the server has not executed the script
	 */
	public <T> CompletionStage<T> send(ScriptCall call) {
		CompletableFuture<StatefulConnection<String, String>> connection = this.commands.get();
		// after the connection: it was retired before the new one could be found
		StatefulConnection<String, String> retired = this.commands.retired();
		if (call.removal() && retired != null) {
			// the attempt may have been sent over that connection: the removal must
			// follow it
			new RedisCall(call, this.shortfalls).send(asyncCommands(retired), this.commandTimeout);
		}
		if (connection.isDone() && !connection.isCompletedExceptionally()) {
			return sendOver(connection.join(), call);
		}
		return inTime(connection).thenCompose((opened) -> sendOver(opened, call));
	}

	private CompletableFuture<StatefulConnection<String, String>> inTime(
			CompletableFuture<StatefulConnection<String, String>> connection) {
		Duration timeout = connectTimeout();
		return connection.copy()
			.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(
					(failure instanceof TimeoutException) ? RedisErrors.noConnectionWithin(timeout) : failure));
	}

	/**
	 * Ask the server, or each primary of a cluster, for an answer.
	 * @param keys a key that the user may use, which a service in front of a cluster
	 * demands
	 * @param channels where to publish an empty message
	 * @return the highest answer of {@link PlainScripts#PING}; fails as {@link #send}
	 * does
	 */
	public CompletionStage<Long> ping(List<String> keys, String... channels) {
		return inTime(this.commands.get()).thenCompose((opened) -> {
			if (opened instanceof StatefulRedisClusterConnection<String, String> cluster) {
				return pingEach(cluster, channels);
			}
			// after a long outage Lettuce waits for up to half a minute
			CompletionStage<StatefulConnection<String, String>> open = opened.isOpen()
					? CompletableFuture.completedStage(opened) : inTime(replaceConnections());
			ScriptCall ping = new ScriptCall(PlainScripts.PING, keys, List.of(channels)).sentWhole();
			return open.thenCompose((reopened) -> this.<Long>sendOver(reopened, ping));
		});
	}

	private CompletableFuture<Long> pingEach(StatefulRedisClusterConnection<String, String> cluster,
			String... channels) {
		Script ping = PlainScripts.PING;
		CompletableFuture<Long>[] answers = cluster.async()
			.upstream()
			.commands()
			.<Long>eval(ping.source(), ScriptOutputType.INTEGER, new String[0], channels)
			.futures();
		return CompletableFuture.allOf(answers)
			.thenApply((all) -> Stream.of(answers).mapToLong(CompletableFuture::join).max().orElse(0))
			.orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS)
			.whenComplete((done, failure) -> {
				if (failure != null) {
					this.topology.doubt();
				}
			});
	}

	/**
	 * Return what the server refuses.
	 */
	public Shortfalls shortfalls() {
		return this.shortfalls;
	}

	/**
	 * Return the connection for messages. Not to be cancelled.
	 */
	public CompletionStage<StatefulRedisPubSubConnection<String, String>> messages() {
		return this.messages.get();
	}

	/**
	 * Check the connection for messages. It only listens, so nothing else notices that
	 * the other end is gone. It is replaced if the server does not answer, or has left
	 * the cluster.
	 */
	public void doubtMessages() {
		this.topology.doubt();
		CompletableFuture<StatefulRedisPubSubConnection<String, String>> connection = this.messages.get();
		if (!connection.isDone() || !this.doubting.compareAndSet(false, true)) {
			return;
		}
		// a client that is shut down throws
		connection.thenCompose((opened) -> limited(opened.async().ping())).whenComplete((pong, failure) -> {
			this.doubting.set(false);
			Throwable cause = (failure != null) ? Failures.unwrap(failure) : null;
			if (cause instanceof TimeoutException || cause instanceof RedisCommandTimeoutException) {
				this.messages.replaceSilent();
			}
		});
	}

	/**
	 * Limit a command on the connection for messages to the command time-out.
	 */
	public <T> CompletableFuture<T> limited(CompletionStage<T> command) {
		return CommandTimeouts.limit(command.toCompletableFuture(), System.nanoTime() + this.commandTimeout.toNanos());
	}

	/**
	 * Set what to call with each connection for messages before anybody uses it.
	 */
	public void onNewMessages(Consumer<StatefulRedisPubSubConnection<String, String>> listener) {
		this.messages.onOpened(listener);
	}

	/**
	 * Return whether this link was closed.
	 */
	public boolean isClosed() {
		return this.commands.isClosed();
	}

	@Override
	public void close() {
		this.commands.close();
		this.messages.close();
	}

	/**
	 * Return how long to wait for a connection: two thirds of the command time-out, so
	 * that the error, which says why, reaches the caller before the time-out, which does
	 * not. At least {@link #FIRST_CONNECT}, unless the last attempt to connect has
	 * failed.
	 */
	private Duration connectTimeout() {
		Duration most = this.commandTimeout.multipliedBy(2).dividedBy(3);
		return (this.commands.notConnected() != null || most.compareTo(FIRST_CONNECT) > 0) ? most : FIRST_CONNECT;
	}

	/**
	 * Return the time-out of the first command, which loads classes and scripts and takes
	 * longer than a later one.
	 */
	private Duration firstTimeout() {
		Duration connect = connectTimeout();
		return (connect.compareTo(this.commandTimeout) > 0) ? connect : this.commandTimeout;
	}

	private <T> CompletionStage<T> sendOver(StatefulConnection<String, String> connection, ScriptCall call) {
		RedisClusterNode node = nodeOf(connection, call);
		boolean open;
		try {
			open = isOpen(connection, node);
		}
		catch (RuntimeException ex) {
			// a client for clusters was shut down at this moment, or has forgotten the
			// node
			return CompletableFuture.failedFuture(RedisErrors.disconnected(ex));
		}
		if (!open) {
			// a replica may have taken over, or the server is back and Lettuce connects
			// late
			this.topology.doubt();
			replaceConnections();
			// Lettuce would keep the command, and send it once the server is back
			return CompletableFuture.failedFuture(RedisErrors.disconnected(this.commands.notConnected()));
		}
		Duration timeout = this.used ? this.commandTimeout : firstTimeout();
		UnansweredTime silence = this.silences.computeIfAbsent((node != null) ? node.getNodeId() : "",
				(added) -> new UnansweredTime(this.commandTimeout));
		long askedAt = silence.ask();
		return new RedisCall(call, this.shortfalls).<T>send(asyncCommands(connection), timeout)
			.handle((answer, failure) -> {
				this.used = true;
				if (failure == null) {
					silence.end();
					return answer;
				}
				Throwable cause = Failures.unwrap(failure);
				if (cause instanceof RedisCommandExecutionException) {
					silence.end();
				}
				if (RedisErrors.isOfWrongNode(cause)) {
					this.topology.doubt();
				}
				boolean late = cause instanceof TimeoutException;
				// the application may have set up a shorter time-out in the client
				boolean silent = (late || cause instanceof RedisCommandTimeoutException) && silence.isDoubtful(askedAt);
				boolean lateOfCluster = late && connection instanceof StatefulRedisClusterConnection;
				// a former primary keeps its connections: new ones lead elsewhere
				if (silent || lateOfCluster || RedisErrors.isOfReplica(cause)) {
					replaceConnections();
				}
				throw late ? ServerErrors.retryable("Redis did not answer within %s ms".formatted(timeout.toMillis()),
						"", cause) : new CompletionException(cause);
			});
	}

	private CompletableFuture<StatefulConnection<String, String>> replaceConnections() {
		this.messages.replaceSilent();
		return this.commands.replaceSilent();
	}

	private static @Nullable RedisClusterNode nodeOf(StatefulConnection<String, String> connection, ScriptCall call) {
		return (connection instanceof StatefulRedisClusterConnection<String, String> cluster)
				? cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(call.keys().get(0))) : null;
	}

	/**
	 * Return whether a connection is open, to that node if it has one to each node of a
	 * cluster. One that is being opened counts as open.
	 */
	private static boolean isOpen(StatefulConnection<String, String> connection, @Nullable RedisClusterNode node) {
		if (!(connection instanceof StatefulRedisClusterConnection<String, String> cluster)) {
			return connection.isOpen();
		}
		if (node == null) {
			return true;
		}
		// by its address, as Lettuce itself finds the connection of a slot
		CompletableFuture<StatefulRedisConnection<String, String>> opened = cluster
			.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort());
		return !opened.isDone() || opened.isCompletedExceptionally() || opened.join().isOpen();
	}

	private static RedisClusterAsyncCommands<String, String> asyncCommands(
			StatefulConnection<String, String> connection) {
		return (connection instanceof StatefulRedisClusterConnection<String, String> cluster) ? cluster.async()
				: ((StatefulRedisConnection<String, String>) connection).async();
	}

}
