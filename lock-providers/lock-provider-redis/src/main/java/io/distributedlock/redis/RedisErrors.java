package io.distributedlock.redis;

import java.util.concurrent.CompletionException;

import io.distributedlock.spi.BackendException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import org.jspecify.annotations.Nullable;

/**
 * Says what a failure of Lettuce means. Of the server's own words only the first, its
 * code, is passed on: the rest may quote a command.
 */
final class RedisErrors {

	private RedisErrors() {
	}

	static BackendException translate(Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		String code = code(cause);
		return switch (code) {
			case "WRONGPASS", "NOAUTH" ->
				permanent("Redis refuses the credentials: check the user name and the password", cause);
			case "NOPERM" -> permanent(
					"Redis denies the user a command or key that locks need: see the least rights in docs/providers/redis.md",
					cause);
			case "WRONGTYPE" ->
				permanent("the key holds something that is no lock: choose another lock.key-prefix", cause);
			case "OOM" -> retryable("Redis is out of memory: raise maxmemory, and keep the policy noeviction", cause);
			case "LOADING", "READONLY", "MOVED", "ASK", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "BUSY", "NOREPLICAS",
					"MISCONF", "UNBLOCKED" ->
				retryable("Redis is loading, failing over or cannot write at present (%s)".formatted(code), cause);
			default -> isConnectionProblem(cause)
					? retryable("Redis cannot be reached: check its address and that it runs", cause) : permanent(
							"Redis failed with " + (code.isEmpty() ? cause.getClass().getSimpleName() : code), cause);
		};
	}

	/**
	 * Return whether the server has surely not executed a command that failed so.
	 */
	static boolean isRefusal(Throwable failure) {
		Throwable cause = unwrap(failure);
		return cause instanceof NotConnectedException || cause instanceof RedisCommandExecutionException;
	}

	static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private static boolean isConnectionProblem(Throwable cause) {
		return cause instanceof RedisException && !(cause instanceof RedisCommandExecutionException);
	}

	private static String code(Throwable cause) {
		for (Throwable each = cause; each != null; each = each.getCause()) {
			if (each instanceof RedisCommandExecutionException && each.getMessage() != null) {
				String first = each.getMessage().split("[ :]", 2)[0];
				return first.equals("ERR") ? codeInside(each.getMessage()) : first;
			}
			if (each instanceof RedisLoadingException || each instanceof RedisBusyException
					|| each instanceof RedisReadOnlyException) {
				return "LOADING";
			}
		}
		return "";
	}

	/**
	 * An error inside a script is wrapped by older servers.
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
		return "ERR";
	}

	static BackendException retryable(String message, Throwable cause) {
		return new BackendException(message, true, cause);
	}

	private static BackendException permanent(String message, Throwable cause) {
		return new BackendException(message, false, cause);
	}

	/**
	 * Nothing was sent.
	 */
	static final class NotConnectedException extends BackendException {

		private static final long serialVersionUID = 1L;

		NotConnectedException(@Nullable Throwable cause) {
			super("Redis cannot be reached: check its address and that it runs", true, cause);
		}

	}

}
