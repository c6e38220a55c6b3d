package io.distributedlock.redis;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.spi.BackendException;

/**
 * Runs the scripts through Lettuce.
 *
 * @param link the connections
 * @param releases listens to channels
 */
record RedisRunner(RedisLink link, RedisReleases releases) implements ScriptRunner {

	@Override
	public <T> CompletionStage<T> run(ScriptCall call) {
		return this.link.send(call);
	}

	@Override
	public BackendException translate(Throwable failure) {
		return RedisErrors.translate(failure);
	}

	@Override
	public boolean isRefusal(Throwable failure) {
		return RedisErrors.isRefusal(failure);
	}

	@Override
	public boolean isReply(Throwable failure) {
		return RedisErrors.isReply(failure);
	}

	@Override
	public CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive) {
		return this.releases.hear(channel, onMessage, onActive);
	}

	@Override
	public void doubtHearing() {
		this.link.doubtMessages();
	}

	@Override
	public Shortfalls shortfalls() {
		return this.link.shortfalls();
	}

	@Override
	public boolean ensureHearing() {
		return this.releases.ensureHearing();
	}

}
