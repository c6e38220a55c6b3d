package io.distributedlock.redisson.internal.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.redisson.internal.client.RedissonErrors.UnconfirmedException;
import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchResult;
import org.redisson.api.RBatch;
import org.redisson.api.RScriptAsync;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.Config;

/**
 * Waits until replicas have confirmed a lock, as Redisson does for its own locks: a
 * replica that becomes the primary without it would grant the lock again. The command and
 * {@code WAIT} are sent in one batch. A confirmed lock is lost more rarely, but can still
 * be lost. Thread-safe.
 * <p>
 * The replicas of the primary of a hash slot are counted before its first lock, and again
 * after another number of replicas has confirmed a lock. A primary without replicas is
 * asked again from time to time.
 */
public final class SyncedReplicas {

	private static final long RECOUNT_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final RedissonClient client;

	private final Config config;

	private final Shortfalls shortfalls;

	/**
	 * The numbers of replicas by hash slot, with one slot if the client is not for a
	 * cluster.
	 */
	private final Map<Integer, Count> counts = new ConcurrentHashMap<>();

	public SyncedReplicas(RedissonClient client, Shortfalls shortfalls) {
		this.client = client;
		this.config = client.getConfig();
		this.shortfalls = shortfalls;
	}

	/**
	 * Send a command to the primary of a key.
	 * @param call the call that the command sends
	 * @param counting sends the call that counts the replicas
	 * @param command sends the command through the scripts of the client or of a batch
	 * @return completes with the answer; fails if there are replicas and none of them has
	 * confirmed, unless the server has no {@code WAIT} or denies it
	 */
	public CompletionStage<Long> send(ScriptCall call, Function<ScriptCall, CompletionStage<Long>> counting,
			Function<@Nullable RScriptAsync, CompletableFuture<Long>> command) {
		int slot = this.config.isClusterConfig() ? TokenCounters.slot(call.keys().get(0)) : 0;
		Count known = this.counts.get(slot);
		if (known != null && known.isValid()) {
			return send(slot, known, command);
		}
		return counting.apply(call.running(RedissonScript.COUNT_REPLICAS)).thenCompose((replicas) -> {
			Count count = new Count(replicas.intValue(), System.nanoTime());
			this.counts.put(slot, count);
			return send(slot, count, command);
		});
	}

	private CompletionStage<Long> send(int slot, Count count,
			Function<@Nullable RScriptAsync, CompletableFuture<Long>> command) {
		if (count.replicas() == 0 || this.shortfalls.has(Shortfall.WAIT)) {
			return command.apply(null);
		}
		RBatch batch = this.client.createBatch(BatchOptions.defaults()
			.retryAttempts(0)
			.sync(count.replicas(), Duration.ofMillis(this.config.getSlavesSyncTimeout())));
		CompletableFuture<Long> answer = command.apply(batch.getScript(ByteArrayCodec.INSTANCE));
		return batch.executeAsync().handle((result, failure) -> {
			if (answer.isCompletedExceptionally() || !isGrant(answer.join())) {
				return answer.join();
			}
			if (failure == null) {
				check(slot, count, result);
			}
			else if (RedissonErrors.refuses(failure, "wait")) {
				this.shortfalls.note(Shortfall.WAIT, RedissonErrors.words(failure));
			}
			else {
				BackendException meaning = RedissonErrors.translate(failure);
				throw new UnconfirmedException(String.valueOf(meaning.getMessage()), meaning.isRetryable(), failure);
			}
			return answer.join();
		});
	}

	/**
	 * Return whether an answer is a grant: the replicas do not matter for others.
	 */
	private static boolean isGrant(long answer) {
		return answer != LockScripts.TAKEN && !LockScripts.isInLine(answer);
	}

	private void check(int slot, Count count, BatchResult<?> result) {
		int synced = result.getSyncedSlaves();
		if (synced != count.replicas()) {
			// so that they are counted again for the next lock
			this.counts.remove(slot, count);
		}
		if (synced == 0 && this.config.isCheckLockSyncedSlaves()) {
			throw new UnconfirmedException("no replica of Redis has confirmed the lock in time", true, null);
		}
	}

	/**
	 * A number of replicas.
	 */
	private record Count(int replicas, long atNanos) {

		boolean isValid() {
			return this.replicas > 0 || System.nanoTime() - this.atNanos < RECOUNT_NANOS;
		}

	}

}
