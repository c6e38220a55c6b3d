package io.distributedlock.redisson;

import java.util.concurrent.CompletionException;

import io.distributedlock.spi.BackendException;
import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisAuthRequiredException;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisOutOfMemoryException;
import org.redisson.client.RedisReadonlyException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisRedirectException;
import org.redisson.client.RedisResponseTimeoutException;
import org.redisson.client.RedisRetryException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.RedisWrongPasswordException;
import org.redisson.client.WriteRedisConnectionException;

/**
 * Says what a failure of Redisson means. Its messages are not passed on: they list the
 * parameters of the command, the owner among them.
 */
final class RedissonErrors {

	private RedissonErrors() {
	}

	static BackendException translate(Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof BackendException translated) {
			return translated;
		}
		if (cause instanceof RedisTimeoutException) {
			return retryable("Redis did not answer in time", cause);
		}
		if (cause instanceof RedisWrongPasswordException || cause instanceof RedisAuthRequiredException
				|| hasCause(cause, RedisWrongPasswordException.class)
				|| hasCause(cause, RedisAuthRequiredException.class)) {
			return permanent("Redis refuses the credentials: check spring.data.redis.username and .password", cause);
		}
		if (cause instanceof RedisConnectionException || cause instanceof RedisNodeNotFoundException
				|| cause instanceof RedisReconnectedException) {
			return retryable("Redis cannot be reached: check its address and that it runs", cause);
		}
		if (cause instanceof RedisOutOfMemoryException) {
			return retryable("Redis is out of memory: raise maxmemory, and keep the policy noeviction", cause);
		}
		if (cause instanceof RedisRetryException || cause instanceof RedisReadonlyException
				|| cause instanceof RedisRedirectException) {
			return retryable(
					"Redis is loading, failing over or moving slots (%s)".formatted(cause.getClass().getSimpleName()),
					cause);
		}
		if (cause instanceof RedissonShutdownException) {
			return permanent("the RedissonClient is shut down", cause);
		}
		String message = String.valueOf(cause.getMessage());
		if (message.contains("WRONGTYPE")) {
			return permanent("the key holds something that is no lock of Redisson: choose another lock.key-prefix",
					cause);
		}
		// older servers say it in their own words where a script is denied something
		if (message.contains("NOPERM") || message.contains("can't run this command")
				|| message.contains("can't access at least one")) {
			return permanent(
					"Redis denies the user a command or key that locks need: see the least rights in docs/providers/redisson.md",
					cause);
		}
		return permanent("Redisson failed with " + cause.getClass().getSimpleName(), cause);
	}

	/**
	 * Return whether the command may have taken effect though its answer is missing.
	 */
	static boolean mayHaveBeenExecuted(Throwable failure) {
		Throwable cause = unwrap(failure);
		return cause instanceof RedisResponseTimeoutException || cause instanceof WriteRedisConnectionException
				|| cause instanceof RedisReconnectedException || !(cause instanceof RedisException);
	}

	static boolean isNotOwner(Throwable failure) {
		return unwrap(failure) instanceof IllegalMonitorStateException
				|| hasCause(unwrap(failure), IllegalMonitorStateException.class);
	}

	private static BackendException retryable(String message, Throwable cause) {
		return new BackendException(message, true, cause);
	}

	private static BackendException permanent(String message, Throwable cause) {
		return new BackendException(message, false, cause);
	}

	private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
		for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
			if (type.isInstance(cause)) {
				return true;
			}
		}
		return false;
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
