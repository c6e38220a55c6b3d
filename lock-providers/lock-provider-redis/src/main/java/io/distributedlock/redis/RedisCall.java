package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;

/**
 * A script with what it is called with. It is sent by its digest, and with its source
 * where the server does not know it. Once its time-out has passed or nobody wants its
 * answer, nothing more is sent for it: the server may stand still, and what it reads then
 * it carries out long after the caller has gone.
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
	 * Return a call of which nothing is sent any more when its answer is not wanted.
	 */
	RedisCall whileWanted(BooleanSupplier isWanted) {
		return new RedisCall(this.script, this.keys, this.arguments, isWanted, this.inOneMessage, this.removal);
	}

	/**
	 * Return a call that is sent with its source at once: it is carried out in its turn
	 * even if the answer to a digest would come too late to send the source.
	 */
	RedisCall inOneMessage() {
		return new RedisCall(this.script, this.keys, this.arguments, this.wanted, true, this.removal);
	}

	/**
	 * Return a call that removes an owner who may have been set by an attempt that was
	 * given up, and comes behind that, in one message.
	 */
	RedisCall asRemoval() {
		return new RedisCall(this.script, this.keys, this.arguments, this.wanted, true, true);
	}

	/**
	 * Return the name by which the server is found.
	 */
	String key() {
		return this.keys[0];
	}

	boolean isRemoval() {
		return this.removal;
	}

	/**
	 * Send it.
	 * @return fails with {@link RedisErrors.NotSentException} if that is so, with
	 * {@link TimeoutException}, or with what Lettuce says
	 */
	CompletableFuture<Long> send(RedisScriptingAsyncCommands<String, String> commands, Duration timeout) {
		long until = System.nanoTime() + timeout.toNanos();
		if (this.inOneMessage) {
			return exchange(() -> sendSource(commands), until);
		}
		return exchange(() -> sendDigest(commands), until).exceptionallyCompose((failure) -> {
			if (!(RedisErrors.unwrap(failure) instanceof RedisNoScriptException unknown)) {
				return CompletableFuture.failedFuture(failure);
			}
			// not what says that nothing was sent: a client that has connected anew may
			// have sent the digest before, to a server that knew it
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
				// it may wait for a connection, and would be sent over it
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
