package io.distributedlock.redis.internal.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.distributedlock.redis.scripts.script.ServerErrors;
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
		String words = words(cause);
		BackendException meaning = ServerErrors.meaning(code, words, "redis", cause);
		if (meaning != null) {
			return meaning;
		}
		return isConnectionProblem(cause) ? ServerErrors.retryable("Redis failed", words, cause)
				: ServerErrors.permanent("Redis failed", words, cause);
	}

	/**
	 * Return the server's own words, empty if the failure is none of the server.
	 */
	public static String words(Throwable failure) {
		return reasons(failure).filter((each) -> each instanceof RedisCommandExecutionException)
			.map((each) -> ServerWords.in(each.getMessage()))
			.filter((words) -> !words.isEmpty())
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

	/**
	 * Return whether the server has refused a command as it is a replica.
	 */
	static boolean isOfReplica(Throwable failure) {
		return code(failure).equals("READONLY");
	}

	/**
	 * Return whether another node may serve the key: this one has not answered, or is
	 * part of no cluster that serves it, such as one that has left.
	 */
	static boolean isOfWrongNode(Throwable failure) {
		return !isReply(failure) || code(failure).equals("CLUSTERDOWN");
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
			return ServerErrors.retryable("Redis did not answer in time", "", cause);
		}
		if (reasons(cause).anyMatch(SSLException.class::isInstance)) {
			return ServerErrors.permanent(
					"no TLS connection to Redis: check that the server has TLS enabled, and that its certificate is trusted",
					"", cause);
		}
		if (reasons(cause).anyMatch((each) -> "Connection closed prematurely".equals(each.getMessage()))) {
			return ServerErrors.retryable(
					"Redis closes new connections immediately: check the credentials, and that both sides or none use TLS",
					"", cause);
		}
		if (isConnectionProblem(cause)) {
			return new BackendException(unreachable(cause), true, cause);
		}
		return ServerErrors.permanent("Redis failed with " + cause.getClass().getSimpleName(), "", cause);
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
		return Failures.causes(failure)
			.flatMap((each) -> Stream.concat(Stream.of(each),
					Arrays.stream(each.getSuppressed()).flatMap(RedisErrors::reasons)));
	}

	private static String ownCode(Throwable failure) {
		if (failure instanceof RedisCommandExecutionException && failure.getMessage() != null) {
			return ServerErrors.code(ServerWords.in(failure.getMessage()));
		}
		// Lettuce has classes of its own for these three, some without the server's
		// message
		boolean loading = failure instanceof RedisLoadingException || failure instanceof RedisBusyException
				|| failure instanceof RedisReadOnlyException;
		return loading ? ServerErrors.LOADING : "";
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
