package io.distributedlock.redisson;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.script.Script.Role;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redisson.internal.client.RedissonCall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.ReleaseSignal;
import org.redisson.config.NameMapper;

/**
 * Runs the scripts of the line through Redisson. Keys are those in Redis: they were
 * mapped.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param server sends the scripts
 * @param releases listens to channels
 * @param nameMapper maps names of locks to keys
 */
record RedissonRunner(RedissonServer server, RedissonReleases releases, NameMapper nameMapper) implements ScriptRunner {

	@Override
	@SuppressWarnings("unchecked")
	public <T> CompletionStage<T> run(ScriptCall call) {
		return this.server.channels().publishCommand().thenCompose((known) -> (CompletionStage<T>) send(call));
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
		return this.releases.listen(RedissonNames.of(key, NameMapper.direct()), onRelease);
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

	/**
	 * Return the scripts whose releases Redisson hears. Each call asks the server first
	 * whether it has sharded channels, so a release knows.
	 */
	LockScripts scripts() {
		return this.server.channels().knownPublishCommand().equals("SPUBLISH") ? LockScripts.REDISSON_SHARDED
				: LockScripts.REDISSON;
	}

	private CompletionStage<?> send(ScriptCall call) {
		if (!call.wanted().getAsBoolean()) {
			return CompletableFuture
				.failedFuture(new RedissonErrors.NotSentException("nobody waits for the lock any more", null));
		}
		String key = call.keys().get(0);
		RedissonCall sent = new RedissonCall(call.script(), this.nameMapper.unmap(key), call.keys(), call.arguments());
		long giveUpAt = call.giveUpAtNanos().orElse(System.nanoTime() + RedissonServer.LONG_NANOS);
		Role role = call.script().role();
		if (role == Role.ACQUIRE) {
			return this.server.acquire(sent, (answer) -> answer != LockScripts.TAKEN && !LockScripts.isInLine(answer),
					giveUpAt);
		}
		return switch (call.script().answer()) {
			case NUMBER -> this.server.send(sent, giveUpAt);
			case TEXT -> this.server.sendForText(sent, role == Role.EXCHANGE, giveUpAt);
			case TEXTS -> this.server.sendForTexts(sent);
		};
	}

}
