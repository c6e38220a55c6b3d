package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.ObjectParams;
import org.redisson.api.options.PlainOptions;
import org.redisson.client.codec.StringCodec;
import org.redisson.client.protocol.RedisCommand;
import org.redisson.client.protocol.RedisStrictCommand;
import org.redisson.command.CommandAsyncExecutor;
import org.redisson.command.CommandBatchService;

/**
 * Sends scripts through Redisson, by their digest, and with their source if the server
 * does not know it. Internal methods of Redisson are called only here and in
 * {@link SyncedReplicas}. Thread-safe. No method blocks.
 */
final class RedissonServer implements AutoCloseable {

	private static final RedisCommand<Long> BY_DIGEST = new RedisStrictCommand<>("EVALSHA");

	/**
	 * In lower case, so that Redisson does not recognize the command: in a batch it would
	 * replace the source of the script by its digest.
	 */
	private static final RedisCommand<Long> BY_SOURCE = new RedisStrictCommand<>("eval");

	/**
	 * The time of calls without a limit, which need no timer.
	 */
	private static final long LONG_NANOS = TimeUnit.DAYS.toNanos(30);

	private final RedissonClient client;

	/**
	 * Sends a command again after a failure, as the client is configured.
	 */
	private final CommandAsyncExecutor commands;

	/**
	 * Sends a command once. The engine asks for a lock again by itself, and the meaning
	 * of a failure is clear only if one command was sent.
	 */
	private final CommandAsyncExecutor once;

	private final SyncedReplicas replicas;

	private final FirstContact firstContact = new FirstContact();

	RedissonServer(RedissonClient client) {
		if (!(client instanceof Redisson redisson)) {
			throw new IllegalStateException(
					"Locks need the client of the redisson artifact itself, made by Redisson.create: %s is another one"
						.formatted(client.getClass().getName()));
		}
		this.client = client;
		this.commands = redisson.getCommandExecutor();
		this.once = this.commands.copy((ObjectParams) PlainOptions.name("locks").retryAttempts(0));
		this.replicas = new SyncedReplicas(client.getConfig(), this.once);
	}

	RedissonClient client() {
		return this.client;
	}

	/**
	 * Return whether releases are published only on sharded channels, as on a cluster of
	 * Redis 7.
	 */
	boolean hasShardedChannels() {
		return this.commands.getConnectionManager().getSubscribeService().isShardingSupported();
	}

	/**
	 * Return the command by which a script publishes a release.
	 */
	String publishCommand() {
		return this.commands.getConnectionManager().getSubscribeService().getPublishCommand();
	}

	/**
	 * Ask for a lock. If there are replicas and none of them has confirmed the lock, the
	 * call fails, unless the client is configured otherwise.
	 * @param giveUpAtNanos the {@link System#nanoTime()} after which nothing is sent
	 */
	CompletionStage<Long> acquire(ScriptCall call, long giveUpAtNanos) {
		if (this.client.getConfig().isSingleConfig()) {
			return inEitherForm(call, (command, script) -> send(this.once, call, command, script, giveUpAtNanos));
		}
		return inEitherForm(call, (command, script) -> this.replicas.send(call.key(),
				(commands) -> send(commands, call, command, script, giveUpAtNanos)));
	}

	CompletionStage<Long> send(ScriptCall call) {
		return sendUntil(call, System.nanoTime() + LONG_NANOS);
	}

	/**
	 * Send calls, in one batch if all keys are on one server. A call that the server
	 * refuses is sent again on its own.
	 * @param giveUpAtNanos the {@link System#nanoTime()} after which nothing is sent
	 */
	List<CompletionStage<Long>> sendAll(List<ScriptCall> calls, long giveUpAtNanos) {
		if (calls.size() == 1 || this.client.getConfig().isClusterConfig()) {
			return calls.stream().map((call) -> sendUntil(call, giveUpAtNanos)).toList();
		}
		CommandBatchService batch = this.commands.createCommandBatchService(BatchOptions.defaults());
		List<CompletionStage<Long>> answers = new ArrayList<>(calls.size());
		for (ScriptCall call : calls) {
			answers.add(Stages.orElse(send(batch, call, BY_DIGEST, call.script().digest(), giveUpAtNanos),
					RedissonErrors::isReply, () -> sendUntil(call, giveUpAtNanos)));
		}
		batch.executeAsync();
		return answers;
	}

	private CompletionStage<Long> sendUntil(ScriptCall call, long giveUpAtNanos) {
		return inEitherForm(call, (command, script) -> send(this.commands, call, command, script, giveUpAtNanos));
	}

	private CompletionStage<Long> inEitherForm(ScriptCall call, Form form) {
		return this.firstContact.call(() -> Stages.orElse(form.send(BY_DIGEST, call.script().digest()),
				RedissonErrors::isUnknownScript, () -> form.send(BY_SOURCE, call.script().source())));
	}

	private static CompletableFuture<Long> send(CommandAsyncExecutor commands, ScriptCall call,
			RedisCommand<Long> command, String script, long giveUpAtNanos) {
		long remaining = giveUpAtNanos - System.nanoTime();
		if (remaining <= 0) {
			return CompletableFuture.failedFuture(new NotSentException("Redis did not answer in time", null));
		}
		CompletableFuture<Long> answer = commands
			.<Long, Long>writeAsync(call.key(), StringCodec.INSTANCE, command, call.parameters(script))
			.toCompletableFuture();
		if (remaining < LONG_NANOS) {
			// the client neither sends nor repeats a command that is cancelled
			CompletableFuture<@Nullable Void> patience = new CompletableFuture<@Nullable Void>().orTimeout(remaining,
					TimeUnit.NANOSECONDS);
			patience.whenComplete((done, over) -> {
				if (over != null) {
					answer.cancel(false);
				}
			});
			answer.whenComplete((value, failure) -> patience.complete(null));
		}
		return answer;
	}

	@Override
	public void close() {
		this.firstContact.close();
	}

	/**
	 * Sends a script by its digest or by its source.
	 */
	@FunctionalInterface
	private interface Form {

		CompletionStage<Long> send(RedisCommand<Long> command, String script);

	}

	/**
	 * Nothing was sent.
	 */
	static final class NotSentException extends BackendException {

		private static final long serialVersionUID = 1L;

		NotSentException(String message, @Nullable Throwable cause) {
			super(message, true, cause);
		}

	}

}
