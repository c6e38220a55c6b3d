package io.distributedlock.redisson.internal.client;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.distributedlock.redis.scripts.script.ServerAge;
import io.distributedlock.redis.scripts.script.ServerWords;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisAuthRequiredException;
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
import org.redisson.client.RedisWrongPasswordException;
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
			return permanent("the RedissonClient is shut down", cause);
		}
		BackendException refusal = refusal(cause);
		if (refusal != null) {
			String words = words(cause);
			return words.isEmpty() ? refusal : new BackendException(
					"%s. Redis says: %s".formatted(refusal.getMessage(), words), refusal.isRetryable(), cause);
		}
		if (hasCause(cause, SSLException.class)) {
			return permanent(
					"no TLS connection to Redis: check that the server has TLS enabled, and that its certificate is trusted",
					cause);
		}
		if (isUnknownScript(cause)) {
			return retryable("Redis forgets its scripts: check who sends SCRIPT FLUSH", cause);
		}
		if (isConnectionProblem(cause)) {
			return retryable("Redis cannot be reached%s: check its address and that it runs"
				.formatted(Failures.ofConnection(cause)), cause);
		}
		if (hasCause(cause, RedisTimeoutException.class) || cause instanceof CancellationException) {
			return retryable("Redis did not answer in time", cause);
		}
		String words = words(cause);
		return permanent(words.isEmpty() ? "Redisson failed with " + cause.getClass().getSimpleName()
				: "Redis answered: " + words, cause);
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
		Throwable cause = Failures.unwrap(failure);
		return isUnknownScript(cause) || refusal(cause) != null;
	}

	/**
	 * Return whether the server has answered with any error.
	 */
	public static boolean isAnswer(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		return isReply(cause) || !words(cause).isEmpty();
	}

	/**
	 * Return whether the server does not know a script by its digest.
	 */
	public static boolean isUnknownScript(Throwable failure) {
		return hasCause(Failures.unwrap(failure), RedisNoScriptException.class);
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
		if (hasCause(cause, RedisWrongPasswordException.class) || hasCause(cause, RedisAuthRequiredException.class)
				|| says(cause, "ERR AUTH", "sent AUTH", "'auth' command", "invalid password")) {
			return permanent("Redis refuses the credentials: check spring.data.redis.username and .password", cause);
		}
		if (says(cause, "DB index is out of range", "SELECT is not allowed")) {
			return permanent("Redis has no such database: check spring.data.redis.database", cause);
		}
		if (hasCause(cause, RedisOutOfMemoryException.class)) {
			return retryable("Redis is out of memory: raise maxmemory, and keep the policy noeviction", cause);
		}
		String tooOld = answers(cause).map(ServerAge::problem).filter(Objects::nonNull).findFirst().orElse(null);
		if (tooOld != null) {
			return permanent(tooOld, cause);
		}
		if (says(cause, "WRONGTYPE")) {
			return permanent("the key holds a value that is no lock of Redisson: choose another lock.key-prefix",
					cause);
		}
		// before Redis 7 a script that is denied a command or a key fails without a code
		if (says(cause, "NOPERM", "can't run this command", "can't access at least one")) {
			return permanent(
					"Redis denies the user a command or key that locks need: see the least rights in docs/providers/redisson.md",
					cause);
		}
		if (isUnreadable(cause)) {
			return permanent(
					"the service in front of Redis refuses a script of locks: see its settings in docs/providers/services.md",
					cause);
		}
		if (refusesDigests(cause)) {
			return permanent(
					"Redis takes only whole scripts: set useScriptCache to false in the configuration of the RedissonClient",
					cause);
		}
		if (cause instanceof RedisRetryException || cause instanceof RedisReadonlyException
				|| cause instanceof RedisRedirectException || says(cause, "-READONLY", "MISCONF", "NOREPLICAS")
				|| answers(cause).anyMatch(ServerWords::tellOfAMove)) {
			return retryable("Redis is loading, failing over, moving slots or cannot write at present", cause);
		}
		return null;
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
		return answers(failure).filter((words) -> !words.startsWith(ServerAge.CODE)).findFirst().orElse("");
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

	private static BackendException retryable(String message, Throwable cause) {
		return new BackendException(message, true, cause);
	}

	private static BackendException permanent(String message, Throwable cause) {
		return new BackendException(message, false, cause);
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
