package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.distributedlock.spi.support.Failures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;

/**
 * A script with its keys and arguments. It is sent by its digest, and with its source if
 * the server does not know it. After its time-out, or when nobody wants its answer any
 * more, nothing is sent for it: a server that hangs now reads the command later, and
 * executes it long after the caller has given up.
 * <p>
 * Why: docs/decisions/028-redis-sends-an-acquisition-once.md
 */
final class RedisCall {

	private final RedisScript script;

	private final String[] keys;

	private final String[] arguments;

	private final BooleanSupplier wanted;

	private final boolean inOneMessage;

	private final boolean removal;

	private RedisCall(RedisScript script, String[] keys, String[] arguments, BooleanSupplier wanted,
			boolean inOneMessage, boolean removal) {
		this.script = script;
		this.keys = keys;
		this.arguments = arguments;
		this.wanted = wanted;
		this.inOneMessage = inOneMessage;
		this.removal = removal;
	}

	static RedisCall of(RedisScript script, String[] keys, String... arguments) {
		return new RedisCall(script, keys, arguments, () -> true, false, false);
	}

	/**
	 * Return a call that is not sent any more once its answer is not wanted.
	 */
	RedisCall whileWanted(BooleanSupplier isWanted) {
		return new RedisCall(this.script, this.keys, this.arguments, isWanted, this.inOneMessage, this.removal);
	}

	/**
	 * Return a call that is sent with its source in the first message. So the server
	 * executes it before whatever is sent later. By digest it may take a second message,
	 * and a later command may overtake that.
	 */
	RedisCall inOneMessage() {
		return new RedisCall(this.script, this.keys, this.arguments, this.wanted, true, this.removal);
	}

	/**
	 * Return a call that removes the owner of an attempt that was given up, as the server
	 * may have granted it the lock. It is sent in one message, after the attempt.
	 */
	RedisCall asRemoval() {
		return new RedisCall(this.script, this.keys, this.arguments, this.wanted, true, true);
	}

	/**
	 * Return the key that decides which node of a cluster is asked.
	 */
	String key() {
		return this.keys[0];
	}

	boolean isRemoval() {
		return this.removal;
	}

	/**
	 * Send the call.
	 * @return completes with the script's answer; fails with
	 * {@link RedisErrors.NotSentException} if nothing was sent, with
	 * {@link TimeoutException}, or with an exception of Lettuce
	 */
	CompletableFuture<Long> send(RedisScriptingAsyncCommands<String, String> commands, Duration timeout) {
		long until = System.nanoTime() + timeout.toNanos();
		if (this.inOneMessage) {
			return exchange(() -> sendSource(commands), until);
		}
		return exchange(() -> sendDigest(commands), until).exceptionallyCompose((failure) -> {
			if (!(Failures.unwrap(failure) instanceof RedisNoScriptException unknown)) {
				return CompletableFuture.failedFuture(failure);
			}
			// a NotSentException would be wrong here: a client that has reconnected may
			// have
			// sent the digest twice, and the server may have known it the first time
			return exchange(() -> sendSource(commands), until).exceptionallyCompose((second) -> CompletableFuture
				.failedFuture((second instanceof RedisErrors.NotSentException) ? unknown : second));
		});
	}

	private CompletableFuture<Long> exchange(Supplier<RedisFuture<Long>> message, long until) {
		long remaining = until - System.nanoTime();
		if (remaining <= 0 || !this.wanted.getAsBoolean()) {
			return CompletableFuture.failedFuture(RedisErrors.givenUp());
		}
		RedisFuture<Long> sent;
		try {
			sent = message.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<Long> answer = sent.toCompletableFuture();
		if (answer.isDone()) {
			return answer;
		}
		return answer.copy().orTimeout(remaining, TimeUnit.NANOSECONDS).whenComplete((value, failure) -> {
			if (failure != null) {
				// Lettuce may still keep the command until it is connected, and send it
				// then
				sent.cancel(false);
			}
		});
	}

	private RedisFuture<Long> sendDigest(RedisScriptingAsyncCommands<String, String> commands) {
		return commands.evalsha(this.script.digest(), ScriptOutputType.INTEGER, this.keys, this.arguments);
	}

	private RedisFuture<Long> sendSource(RedisScriptingAsyncCommands<String, String> commands) {
		return commands.eval(this.script.source(), ScriptOutputType.INTEGER, this.keys, this.arguments);
	}

}
