package io.distributedlock.redis.internal.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.distributedlock.redis.scripts.script.CommandTimeouts;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.spi.support.Failures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;

/**
 * Sends a script with its keys and arguments, by its digest, and with its source if the
 * server does not know it or takes no digests. After its time-out, or when nobody wants
 * its answer any more, nothing is sent for it: a server that hangs now reads the command
 * later, and executes it long after the caller has given up.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 *
 * @param call the script with its keys and arguments
 * @param shortfalls what the server refuses
 */
public record RedisCall(ScriptCall call, Shortfalls shortfalls) {

	/**
	 * Send the call.
	 * @return completes with the script's answer; fails with
	 * {@link RedisErrors.NotSentException} if nothing was sent, with
	 * {@link TimeoutException}, or with an exception of Lettuce
	 */
	public <T> CompletableFuture<T> send(RedisScriptingAsyncCommands<String, String> commands, Duration timeout) {
		long until = System.nanoTime() + timeout.toNanos();
		if (this.call.inOneMessage() || this.shortfalls.has(Shortfall.EVALSHA)) {
			return exchange(() -> this.<T>sendSource(commands), until);
		}
		return exchange(() -> this.<T>sendDigest(commands), until).exceptionallyCompose((failure) -> {
			if (RedisErrors.refuses(failure, "evalsha")) {
				this.shortfalls.note(Shortfall.EVALSHA, RedisErrors.words(failure));
				return exchange(() -> this.<T>sendSource(commands), until);
			}
			if (!(Failures.unwrap(failure) instanceof RedisNoScriptException unknown)) {
				return CompletableFuture.failedFuture(failure);
			}
			// a NotSentException would be wrong here: a client that has reconnected may
			// have sent the digest twice, and the server may have known it the first time
			return exchange(() -> this.<T>sendSource(commands), until)
				.exceptionallyCompose((second) -> CompletableFuture
					.failedFuture((second instanceof RedisErrors.NotSentException) ? unknown : second));
		});
	}

	private <T> CompletableFuture<T> exchange(Supplier<RedisFuture<T>> message, long until) {
		long remaining = until - System.nanoTime();
		if (remaining <= 0 || !this.call.wanted().getAsBoolean()) {
			return CompletableFuture.failedFuture(RedisErrors.givenUp());
		}
		try {
			CompletableFuture<T> answer = message.get().toCompletableFuture();
			return answer.isDone() ? answer : CommandTimeouts.limit(answer, until);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private <T> RedisFuture<T> sendDigest(RedisScriptingAsyncCommands<String, String> commands) {
		return commands.evalsha(this.call.script().digest(), output(), this.call.keys().toArray(String[]::new),
				this.call.arguments().toArray(String[]::new));
	}

	private <T> RedisFuture<T> sendSource(RedisScriptingAsyncCommands<String, String> commands) {
		return commands.eval(this.call.script().source(), output(), this.call.keys().toArray(String[]::new),
				this.call.arguments().toArray(String[]::new));
	}

	private ScriptOutputType output() {
		return switch (this.call.script().answer()) {
			case NUMBER -> ScriptOutputType.INTEGER;
			case TEXT -> ScriptOutputType.VALUE;
			case TEXTS -> ScriptOutputType.MULTI;
		};
	}

}
