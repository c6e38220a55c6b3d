package io.distributedlock.redisson;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.ReleaseSignal;

/**
 * Runs the scripts of the line through Redisson. Keys are those in Redis: they were
 * mapped.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param server sends the scripts
 * @param releases listens to channels
 */
record RedissonRunner(RedissonServer server, RedissonReleases releases) implements ScriptRunner {

	@Override
	public <T> CompletionStage<T> run(ScriptCall call) {
		return this.server.send(call);
	}

	@Override
	public BackendException translate(Throwable failure) {
		return RedissonErrors.translate(failure);
	}

	@Override
	public boolean isRefusal(Throwable failure) {
		return !RedissonErrors.mayHaveBeenExecuted(failure);
	}

	@Override
	public boolean isReply(Throwable failure) {
		return RedissonErrors.isAnswer(failure);
	}

	@Override
	public CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive) {
		return this.releases.hear(channel, onMessage, onActive);
	}

	@Override
	public ReleaseSignal.Subscription listen(String key, Runnable onRelease) {
		return this.releases.listenToAll(key, onRelease);
	}

	/**
	 * A lock is confirmed by replicas in the answer to a call.
	 */
	@Override
	public boolean confirmsGrants() {
		return !this.server.client().getConfig().isSingleConfig();
	}

	@Override
	public Shortfalls shortfalls() {
		return this.server.shortfalls();
	}

	@Override
	public boolean ensureHearing() {
		return true;
	}

}
