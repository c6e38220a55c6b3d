package io.distributedlock.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.distributedlock.spi.BackendException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import org.jspecify.annotations.Nullable;

/**
 * Says what a failure of Lettuce means. Of the server's own words only the first, its
 * code, is passed on: the rest may quote a command.
 */
final class RedisErrors {

	private static final String NO_DATABASE = "no database";

	private static final String CROWDED = "crowded";

	private static final String UNREACHABLE = "Redis cannot be reached: check its address and that it runs";

	private RedisErrors() {
	}

	static BackendException translate(Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		String code = code(cause);
		return switch (code) {
			case "" -> withoutCode(cause);
			case "WRONGPASS", "NOAUTH" ->
				permanent("Redis refuses the credentials: check the user name and the password", cause);
			case "NOPERM" -> permanent(
					"Redis denies the user a command or key that locks need: see the least rights in docs/providers/redis.md",
					cause);
			case "WRONGTYPE" ->
				permanent("the key holds something that is no lock: choose another lock.key-prefix", cause);
			case NO_DATABASE -> permanent("Redis has no database of this number: check the database", cause);
			case "DENIED" ->
				permanent("Redis is in protected mode and refuses clients of other machines: set a password", cause);
			case CROWDED -> retryable("Redis has as many clients as it admits: raise maxclients", cause);
			case "OOM" -> retryable("Redis is out of memory: raise maxmemory, and keep the policy noeviction", cause);
			case "NOSCRIPT" -> retryable("Redis did not know a script, and there was no time left to send it", cause);
			case "LOADING", "READONLY", "MOVED", "ASK", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "BUSY", "NOREPLICAS",
					"MISCONF", "UNBLOCKED" ->
				retryable("Redis is loading, failing over or cannot write at present (%s)".formatted(code), cause);
			default -> new BackendException("Redis failed with " + code, isConnectionProblem(cause), cause);
		};
	}

	/**
	 * Return whether the server has surely not executed a command that failed so. A
	 * passing error says nothing of that: clients send a command anew when its connection
	 * was lost, and the first may have been carried out.
	 */
	static boolean isRefusal(Throwable failure) {
		Throwable cause = unwrap(failure);
		return cause instanceof NotSentException
				|| (cause instanceof RedisCommandExecutionException && !translate(cause).isRetryable());
	}

	static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	static BackendException retryable(String message, Throwable cause) {
		return new BackendException(message, true, cause);
	}

	static BackendException disconnected() {
		return new NotSentException(UNREACHABLE, true, null);
	}

	static BackendException givenUp() {
		return new NotSentException("nobody waits for the answer of Redis any more, and nothing was sent", true, null);
	}

	static BackendException closed() {
		return new ClosedException();
	}

	/**
	 * A server that does not speak TLS waits for more when it is spoken to in TLS.
	 */
	static BackendException noConnectionWithin(Duration timeout) {
		return new NotSentException(
				"Redis has not taken a connection within %d ms: check its address, and that both sides or none speak TLS"
					.formatted(timeout.toMillis()),
				true, null);
	}

	static BackendException notConnected(Throwable failure) {
		BackendException translated = translate(failure);
		return new NotSentException(Objects.requireNonNullElse(translated.getMessage(), UNREACHABLE),
				translated.isRetryable(), failure);
	}

	private static BackendException withoutCode(Throwable cause) {
		if (cause instanceof RedisCommandTimeoutException) {
			return retryable("Redis did not answer in time", cause);
		}
		if (reasons(cause).anyMatch(SSLException.class::isInstance)) {
			return permanent("Redis cannot be spoken to over TLS: check that it speaks TLS, and whom it is trusted by",
					cause);
		}
		if (reasons(cause).anyMatch((each) -> "Connection closed prematurely".equals(each.getMessage()))) {
			return retryable(
					"Redis closes the connection while it is made: check the credentials, and that both sides or none speak TLS",
					cause);
		}
		if (isConnectionProblem(cause)) {
			return retryable(UNREACHABLE, cause);
		}
		return permanent("Redis failed with " + cause.getClass().getSimpleName(), cause);
	}

	/**
	 * Lettuce cancels what was under way when a client is shut down, and hands on what
	 * its transport says when a connection ends.
	 */
	private static boolean isConnectionProblem(Throwable cause) {
		return cause instanceof CancellationException || cause instanceof IOException
				|| (cause instanceof RedisException && !(cause instanceof RedisCommandExecutionException));
	}

	private static String code(Throwable failure) {
		return reasons(failure).map(RedisErrors::ownCode).filter((code) -> !code.isEmpty()).findFirst().orElse("");
	}

	/**
	 * Return a failure with its causes, and what the nodes of a cluster said.
	 */
	private static Stream<Throwable> reasons(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.flatMap((each) -> Stream.concat(Stream.of(each),
					Arrays.stream(each.getSuppressed()).flatMap(RedisErrors::reasons)));
	}

	private static String ownCode(Throwable failure) {
		if (failure instanceof RedisCommandExecutionException && failure.getMessage() != null) {
			String first = failure.getMessage().split("[ :]", 2)[0];
			return first.equals("ERR") ? codeInside(failure.getMessage()) : first;
		}
		boolean loading = failure instanceof RedisLoadingException || failure instanceof RedisBusyException
				|| failure instanceof RedisReadOnlyException;
		return loading ? "LOADING" : "";
	}

	/**
	 * An error inside a script is wrapped by older servers, and some have no code.
	 */
	private static String codeInside(String message) {
		for (String code : new String[] { "OOM", "NOPERM", "WRONGTYPE", "READONLY", "MISCONF", "WRONGPASS" }) {
			if (message.contains(code)) {
				return code;
			}
		}
		if (message.contains("can't run this command or subcommand") || message.contains("can't access at least one")) {
			return "NOPERM";
		}
		if (message.contains("DB index") || message.contains("SELECT is not allowed")) {
			return NO_DATABASE;
		}
		if (message.contains("without any password configured") || message.contains("no password is set")
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
	static class NotSentException extends BackendException {

		private static final long serialVersionUID = 1L;

		private NotSentException(String message, boolean retryable, @Nullable Throwable cause) {
			super(message, retryable, cause);
		}

	}

	/**
	 * Nothing was sent, as the application ends.
	 */
	static final class ClosedException extends NotSentException {

		private static final long serialVersionUID = 1L;

		private ClosedException() {
			super("the lock provider is closed", false, null);
		}

	}

}
