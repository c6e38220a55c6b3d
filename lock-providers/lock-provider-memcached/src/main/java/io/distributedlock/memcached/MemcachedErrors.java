package io.distributedlock.memcached;

import java.util.concurrent.TimeoutException;

import com.spotify.folsom.MemcacheAuthenticationException;
import com.spotify.folsom.MemcacheClosedException;
import com.spotify.folsom.MemcacheOverloadedException;
import com.spotify.folsom.MemcacheStatus;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;

/**
 * Translates failures of Folsom and statuses of Memcached.
 */
final class MemcachedErrors {

	private MemcachedErrors() {
	}

	static BackendException translate(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		if (cause instanceof MemcacheAuthenticationException) {
			return new BackendException("Memcached refuses the credentials: check the user name and the password",
					false, cause);
		}
		if (cause instanceof MemcacheOverloadedException) {
			return new BackendException("the client of Memcached has its maximum of requests without an answer", true,
					cause);
		}
		if (cause instanceof TimeoutException) {
			return new BackendException("Memcached did not answer in time", true, cause);
		}
		if (cause instanceof MemcacheClosedException) {
			return new BackendException("Memcached cannot be reached (%s): check its address and that it runs"
				.formatted(cause.getMessage()), true, cause);
		}
		return new BackendException("Memcached failed with " + cause.getClass().getSimpleName(), false, cause);
	}

	static BackendException alwaysRenewed() {
		return new BackendException("the lock was renewed each time it was about to be changed: try again", true, null);
	}

	static BackendException refused(MemcacheStatus status) {
		return switch (status) {
			case UNAUTHORIZED -> new BackendException(
					"Memcached refuses the credentials: check the user name and the password", false, null);
			case OUT_OF_MEMORY -> new BackendException("Memcached is out of memory", true, null);
			default -> new BackendException("Memcached answered " + status, false, null);
		};
	}

}
