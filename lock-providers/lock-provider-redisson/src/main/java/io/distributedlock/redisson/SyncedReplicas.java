package io.distributedlock.redisson;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchResult;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.codec.StringCodec;
import org.redisson.client.protocol.RedisCommands;
import org.redisson.command.CommandAsyncExecutor;
import org.redisson.command.CommandBatchService;
import org.redisson.config.Config;
import org.redisson.connection.MasterSlaveEntry;

/**
 * Waits until replicas have confirmed a lock, as Redisson does for its own locks: a
 * replica that becomes the primary without it would grant the lock again. The command and
 * {@code WAIT} are sent in one batch. A confirmed lock is lost more rarely, but can still
 * be lost. Thread-safe.
 */
final class SyncedReplicas {

	/**
	 * The number of replicas that Redisson has not counted yet.
	 */
	private static final int UNKNOWN = -1;

	private final Config config;

	private final CommandAsyncExecutor commands;

	SyncedReplicas(Config config, CommandAsyncExecutor commands) {
		this.config = config;
		this.commands = commands;
	}

	/**
	 * Send a command to the primary of a key.
	 * @param key the key
	 * @param command sends the command through the executor that it is given; the answer
	 * is 0 if nothing was written
	 * @return completes with the answer; fails if there are replicas and none of them has
	 * confirmed, unless the server has no {@code WAIT}
	 */
	CompletionStage<Long> send(String key, Function<CommandAsyncExecutor, CompletableFuture<Long>> command) {
		MasterSlaveEntry entry = this.commands.getConnectionManager().getEntry(key);
		if (entry == null) {
			return CompletableFuture
				.failedFuture(new RedisNodeNotFoundException("No node has the slot of key '" + key + "'"));
		}
		return replicas(entry).thenCompose(
				(replicas) -> (replicas > 0) ? sendAndWait(entry, replicas, command) : command.apply(this.commands));
	}

	private CompletionStage<Integer> replicas(MasterSlaveEntry entry) {
		int known = entry.getAvailableSlaves();
		if (known != UNKNOWN) {
			return CompletableFuture.completedFuture(known);
		}
		CompletionStage<Map<String, String>> answer = this.commands.writeAsync(entry, StringCodec.INSTANCE,
				RedisCommands.INFO_ALL);
		return answer.thenApply((info) -> {
			int replicas = Integer.parseInt(info.getOrDefault("connected_slaves", "0"));
			entry.setAvailableSlaves(replicas);
			return replicas;
		});
	}

	private CompletionStage<Long> sendAndWait(MasterSlaveEntry entry, int replicas,
			Function<CommandAsyncExecutor, CompletableFuture<Long>> command) {
		CommandBatchService batch = this.commands.createCommandBatchService(BatchOptions.defaults()
			.retryAttempts(0)
			.sync(replicas, Duration.ofMillis(this.config.getSlavesSyncTimeout())));
		CompletableFuture<Long> answer = command.apply(batch);
		return batch.executeAsync().handle((result, failure) -> {
			// if the command failed or wrote nothing, the replicas do not matter
			if (answer.isCompletedExceptionally() || answer.join() == 0) {
				return answer.join();
			}
			if (failure == null) {
				check(entry, replicas, result);
			}
			else if (!RedissonErrors.isUnknownCommand(failure)) {
				BackendException meaning = RedissonErrors.translate(failure);
				throw new UnconfirmedException(String.valueOf(meaning.getMessage()), meaning.isRetryable(), failure);
			}
			return answer.join();
		});
	}

	private void check(MasterSlaveEntry entry, int replicas, BatchResult<?> result) {
		int synced = result.getSyncedSlaves();
		if (synced != replicas) {
			// so that they are counted again for the next lock
			entry.setAvailableSlaves(UNKNOWN);
		}
		if (synced == 0 && this.config.isCheckLockSyncedSlaves()) {
			throw new UnconfirmedException("no replica of Redis has confirmed the lock in time", true, null);
		}
	}

	/**
	 * The primary has written the lock, but no replica is known to have it.
	 */
	static final class UnconfirmedException extends BackendException {

		private static final long serialVersionUID = 1L;

		UnconfirmedException(String message, boolean retryable, @Nullable Throwable cause) {
			super(message, retryable, cause);
		}

	}

}
