package io.distributedlock.redis.internal.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.distributedlock.redis.scripts.script.ServerAge;
import io.distributedlock.redis.scripts.script.ServerWords;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import org.jspecify.annotations.Nullable;

/**
 * Translates failures of Lettuce. What an error message of the server quotes of a command
 * does not appear in ours, since an owner may be in it.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 */
public final class RedisErrors {

	/**
	 * Codes of our own, for errors of Redis that have only the code {@code ERR}.
	 */
	private static final String NO_DATABASE = "no database";

	private static final String CROWDED = "crowded";

	private RedisErrors() {
	}

	public static BackendException translate(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		String code = code(cause);
		if (code.isEmpty()) {
			return withoutCode(cause);
		}
		BackendException translated = withCode(code, cause);
		String words = words(cause);
		return words.isEmpty() ? translated : new BackendException(
				"%s. Redis says: %s".formatted(translated.getMessage(), words), translated.isRetryable(), cause);
	}

	private static BackendException withCode(String code, Throwable cause) {
		return switch (code) {
			case "WRONGPASS", "NOAUTH" ->
				permanent("Redis refuses the credentials: check the user name and the password", cause);
			case "NOPERM" -> permanent(
					"Redis denies the user a command or key that locks need: see the least rights in docs/providers/redis.md",
					cause);
			case ServerAge.CODE ->
				permanent(Objects.requireNonNullElse(ServerAge.problem(cause.getMessage()), code), cause);
			case "WRONGTYPE" ->
				permanent("the key holds a value that is no lock: choose another lock.key-prefix", cause);
			case NO_DATABASE -> permanent("Redis has no database of this number: check the database", cause);
			case "DENIED" ->
				permanent("Redis is in protected mode and refuses clients on other machines: set a password", cause);
			case CROWDED -> retryable("Redis has reached its limit of clients: raise maxclients", cause);
			case "OOM" -> retryable("Redis is out of memory: raise maxmemory, and keep the policy noeviction", cause);
			case "NOSCRIPT" -> retryable("Redis did not know a script, and no time was left to send it", cause);
			case "LOADING", "READONLY", "MOVED", "ASK", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "BUSY", "NOREPLICAS",
					"MISCONF", "UNBLOCKED" ->
				retryable("Redis is loading, failing over or cannot write at present", cause);
			default -> new BackendException("Redis failed", isConnectionProblem(cause), cause);
		};
	}

	/**
	 * Return the server's own words, empty if the failure is none of the server.
	 */
	public static String words(Throwable failure) {
		return reasons(failure).filter((each) -> each instanceof RedisCommandExecutionException)
			.map((each) -> ServerWords.in(each.getMessage()))
			.filter((words) -> !words.isEmpty() && !words.startsWith(ServerAge.CODE))
			.findFirst()
			.orElse("");
	}

	/**
	 * Return whether the server has certainly not executed a command with this failure. A
	 * retryable error is no proof: a client sends a command again after its connection
	 * was lost, and the server may have executed the first one.
	 */
	public static boolean isRefusal(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		return cause instanceof NotSentException
				|| (cause instanceof RedisCommandExecutionException && !translate(cause).isRetryable());
	}

	/**
	 * Return whether the server does not know a command, or denies it.
	 */
	public static boolean refuses(Throwable failure, String command) {
		return isReply(failure) && ServerWords.refuse(Failures.unwrap(failure).getMessage(), command);
	}

	/**
	 * Return whether the server has answered with an error.
	 */
	public static boolean isReply(Throwable failure) {
		return Failures.unwrap(failure) instanceof RedisCommandExecutionException;
	}

	public static BackendException retryable(String message, Throwable cause) {
		return new BackendException(message, true, cause);
	}

	/**
	 * Return the failure of a command for which there is no connection at present.
	 * @param cause why the last attempt to connect has failed, {@code null} if it has not
	 */
	public static BackendException disconnected(@Nullable Throwable cause) {
		return new NotSentException(unreachable(cause), true, cause);
	}

	public static BackendException givenUp() {
		return new NotSentException("the call was given up before its command was sent to Redis", true, null);
	}

	public static BackendException closed() {
		return new NotSentException("the lock provider is closed", false, null);
	}

	/**
	 * Return the failure of a connection that was not there in time. TLS may be the
	 * reason: a server without TLS takes the client's first message for the start of a
	 * command, waits for the rest of it, and never answers.
	 */
	public static BackendException noConnectionWithin(Duration timeout) {
		return new NotSentException(
				"Redis has not taken a connection within %s ms: check its address, and that both sides or none use TLS"
					.formatted(timeout.toMillis()),
				true, null);
	}

	public static BackendException notConnected(Throwable failure) {
		BackendException translated = translate(failure);
		return new NotSentException(Objects.requireNonNullElse(translated.getMessage(), unreachable(failure)),
				translated.isRetryable(), failure);
	}

	private static BackendException withoutCode(Throwable cause) {
		if (cause instanceof RedisCommandTimeoutException) {
			return retryable("Redis did not answer in time", cause);
		}
		if (reasons(cause).anyMatch(SSLException.class::isInstance)) {
			return permanent(
					"no TLS connection to Redis: check that the server has TLS enabled, and that its certificate is trusted",
					cause);
		}
		if (reasons(cause).anyMatch((each) -> "Connection closed prematurely".equals(each.getMessage()))) {
			return retryable(
					"Redis closes new connections immediately: check the credentials, and that both sides or none use TLS",
					cause);
		}
		if (isConnectionProblem(cause)) {
			return retryable(unreachable(cause), cause);
		}
		return permanent("Redis failed with " + cause.getClass().getSimpleName(), cause);
	}

	private static String unreachable(@Nullable Throwable cause) {
		return "Redis cannot be reached%s: check its address and that it runs".formatted(Failures.ofConnection(cause));
	}

	/**
	 * Return whether the connection is the problem. When a client is shut down, Lettuce
	 * cancels commands without an answer. When a connection ends, it passes on the
	 * {@link IOException} of its transport.
	 */
	private static boolean isConnectionProblem(Throwable cause) {
		return cause instanceof CancellationException || cause instanceof IOException
				|| (cause instanceof RedisException && !(cause instanceof RedisCommandExecutionException));
	}

	private static String code(Throwable failure) {
		return reasons(failure).map(RedisErrors::ownCode).filter((code) -> !code.isEmpty()).findFirst().orElse("");
	}

	/**
	 * Return a failure with its causes. Lettuce adds the failures of a cluster's nodes as
	 * suppressed exceptions.
	 */
	private static Stream<Throwable> reasons(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.flatMap((each) -> Stream.concat(Stream.of(each),
					Arrays.stream(each.getSuppressed()).flatMap(RedisErrors::reasons)));
	}

	private static String ownCode(Throwable failure) {
		if (failure instanceof RedisCommandExecutionException && failure.getMessage() != null) {
			String words = ServerWords.in(failure.getMessage());
			String first = words.split("[ :]", 2)[0];
			boolean code = !first.equals("ERR") && first.equals(first.toUpperCase(Locale.ROOT));
			return code ? first : codeInside(words);
		}
		// Lettuce has classes of its own for these three, some without the server's
		// message.
		// One code stands for all, as all of them pass: a server that loads its data, one
		// that still runs a script, and a replica that has not become the primary yet
		boolean loading = failure instanceof RedisLoadingException || failure instanceof RedisBusyException
				|| failure instanceof RedisReadOnlyException;
		return loading ? "LOADING" : "";
	}

	/**
	 * Return the code of a message that starts with {@code ERR}, or with none, as an
	 * error inside a script may before Redis 7. Its own code may follow later. Other
	 * errors have no code and are known by their words.
	 */
	private static String codeInside(String message) {
		for (String code : new String[] { "OOM", "NOPERM", "WRONGTYPE", "READONLY", "MISCONF", "WRONGPASS" }) {
			if (message.contains(code)) {
				return code;
			}
		}
		if (ServerWords.tellOfAMove(message)) {
			return "TRYAGAIN";
		}
		if (message.contains("can't run this command or subcommand") || message.contains("can't access at least one")) {
			return "NOPERM";
		}
		if (message.contains("DB index") || message.contains("SELECT is not allowed")) {
			return NO_DATABASE;
		}
		if (message.contains("ERR AUTH") || message.contains("sent AUTH") || message.contains("'auth' command")
				|| message.contains("invalid password")) {
			return "WRONGPASS";
		}
		return message.contains("max number of clients") ? CROWDED : "ERR";
	}

	private static BackendException permanent(String message, Throwable cause) {
		return new BackendException(message, false, cause);
	}

	/**
	 * Nothing was sent.
	 */
	public static final class NotSentException extends BackendException {

		private static final long serialVersionUID = 1L;

		private NotSentException(String message, boolean retryable, @Nullable Throwable cause) {
			super(message, retryable, cause);
		}

	}

}
