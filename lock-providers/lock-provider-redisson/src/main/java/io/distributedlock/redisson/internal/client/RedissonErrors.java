package io.distributedlock.redisson.internal.client;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.distributedlock.redis.scripts.script.ServerErrors;
import io.distributedlock.redis.scripts.script.ServerWords;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisOutOfMemoryException;
import org.redisson.client.RedisReadonlyException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisRedirectException;
import org.redisson.client.RedisRetryException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;

/**
 * Translates failures of Redisson. Of their messages only the server's own words are read
 * and passed on: Redisson adds the parameters of the command, and with them the text of a
 * script and the owner.
 */
public final class RedissonErrors {

	private RedissonErrors() {
	}

	public static BackendException translate(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof BackendException translated) {
			return translated;
		}
		if (hasCause(cause, RedissonShutdownException.class)) {
			return ServerErrors.permanent("the RedissonClient is shut down", "", cause);
		}
		BackendException refusal = refusal(cause);
		if (refusal != null) {
			return refusal;
		}
		if (hasCause(cause, SSLException.class)) {
			return ServerErrors.permanent(
					"no TLS connection to Redis: check that the server has TLS enabled, and that its certificate is trusted",
					"", cause);
		}
		if (isConnectionProblem(cause)) {
			return ServerErrors.retryable("Redis cannot be reached%s: check its address and that it runs"
				.formatted(Failures.ofConnection(cause)), "", cause);
		}
		if (hasCause(cause, RedisTimeoutException.class) || cause instanceof CancellationException) {
			return ServerErrors.retryable("Redis did not answer in time", "", cause);
		}
		String words = words(cause);
		return ServerErrors.permanent(
				words.isEmpty() ? "Redisson failed with " + cause.getClass().getSimpleName() : "Redis failed", words,
				cause);
	}

	/**
	 * Return whether the server may have executed the command although its answer is
	 * missing.
	 */
	public static boolean mayHaveBeenExecuted(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof UnconfirmedException) {
			return true;
		}
		return !(cause instanceof NotSentException) && !isReply(cause)
				&& !(cause instanceof RedisConnectionException && !(cause instanceof WriteRedisConnectionException))
				&& !hasCause(cause, ConnectException.class);
	}

	/**
	 * Return whether the server has answered with an error, and has changed nothing.
	 */
	public static boolean isReply(Throwable failure) {
		return refusal(Failures.unwrap(failure)) != null;
	}

	/**
	 * Return whether the server has answered with any error.
	 */
	public static boolean isAnswer(Throwable failure) {
		return isReply(failure) || !words(failure).isEmpty();
	}

	/**
	 * Return whether the server does not know a script by its digest.
	 */
	public static boolean isUnknownScript(Throwable failure) {
		return hasCause(failure, RedisNoScriptException.class);
	}

	/**
	 * Return whether the server does not know a command, or denies it.
	 * @param command the name of the command in lower case
	 */
	public static boolean refuses(Throwable failure, String command) {
		return answers(failure).anyMatch((words) -> ServerWords.refuse(words, command));
	}

	/**
	 * Return whether a service has refused a script for its text, before it ran.
	 */
	public static boolean isUnreadable(Throwable failure) {
		return says(failure, "bad lua script");
	}

	/**
	 * Return whether the server takes no scripts by their digests.
	 */
	public static boolean refusesDigests(Throwable failure) {
		return refuses(failure, "evalsha") || refuses(failure, "script");
	}

	/**
	 * Return whether the server does not know a command or one of its parts, or denies
	 * it.
	 */
	public static boolean isDeniedOrUnknownCommand(Throwable failure) {
		return says(failure, "NOPERM", "ERR ");
	}

	/**
	 * Return the exception for a command that the server has refused, {@code null} if it
	 * has not.
	 */
	private static @Nullable BackendException refusal(Throwable cause) {
		String words = words(cause);
		BackendException meaning = ServerErrors.meaning(code(cause), words, "redisson", cause);
		if (meaning != null) {
			return meaning;
		}
		if (isUnreadable(cause)) {
			return ServerErrors.permanent(
					"the service in front of Redis refuses a script of locks: see its settings in docs/providers/services.md",
					words, cause);
		}
		if (refusesDigests(cause)) {
			return ServerErrors.permanent(
					"Redis takes only whole scripts: set useScriptCache to false in the configuration of the RedissonClient",
					words, cause);
		}
		return null;
	}

	/**
	 * Return the code of the server's answer. Redisson has classes of its own for some,
	 * without the code or without the answer.
	 */
	private static String code(Throwable cause) {
		if (hasCause(cause, RedisOutOfMemoryException.class)) {
			return ServerErrors.OUT_OF_MEMORY;
		}
		if (cause instanceof RedisRetryException || cause instanceof RedisReadonlyException
				|| cause instanceof RedisRedirectException) {
			return ServerErrors.LOADING;
		}
		return ServerErrors.code(words(cause));
	}

	private static boolean isConnectionProblem(Throwable cause) {
		return cause instanceof RedisConnectionException || cause instanceof RedisNodeNotFoundException
				|| cause instanceof RedisReconnectedException || hasCause(cause, RedisConnectionException.class)
				|| hasCause(cause, ConnectException.class) || hasCause(cause, UnknownHostException.class);
	}

	/**
	 * Return whether the server has answered with some of these words.
	 */
	private static boolean says(Throwable failure, String... words) {
		return answers(failure).anyMatch((answer) -> Stream.of(words).anyMatch(answer::contains));
	}

	/**
	 * Return what the server has answered, empty if the failure is none of the server.
	 */
	public static String words(Throwable failure) {
		return answers(failure).findFirst().orElse("");
	}

	/**
	 * Return the answers of the server. Redisson names the command also in what it says
	 * of a connection, but has an end of its own for the answer of a server.
	 */
	private static Stream<String> answers(Throwable failure) {
		return Failures.causes(failure)
			.filter((cause) -> cause instanceof RedisException)
			.map((cause) -> String.valueOf(cause.getMessage()))
			.filter((message) -> message.contains(". channel: "))
			.map(ServerWords::in);
	}

	private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
		return Failures.causes(failure).anyMatch(type::isInstance);
	}

	/**
	 * Nothing was sent.
	 */
	public static final class NotSentException extends BackendException {

		private static final long serialVersionUID = 1L;

		public NotSentException(String message, @Nullable Throwable cause) {
			super(message, true, cause);
		}

	}

	/**
	 * The primary has written the lock, but no replica is known to have it.
	 */
	public static final class UnconfirmedException extends BackendException {

		private static final long serialVersionUID = 1L;

		UnconfirmedException(String message, boolean retryable, @Nullable Throwable cause) {
			super(message, retryable, cause);
		}

	}

}
