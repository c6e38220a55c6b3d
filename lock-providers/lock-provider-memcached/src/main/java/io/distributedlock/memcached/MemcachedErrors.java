package io.distributedlock.memcached;

import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import com.spotify.folsom.MemcacheAuthenticationException;
import com.spotify.folsom.MemcacheClosedException;
import com.spotify.folsom.MemcacheOverloadedException;
import com.spotify.folsom.MemcacheStatus;
import io.distributedlock.spi.BackendException;

/**
 * Says what a failure of Folsom or a status of Memcached means.
 */
final class MemcachedErrors {

	private MemcachedErrors() {
	}

	static BackendException translate(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		if (cause instanceof MemcacheAuthenticationException) {
			return new BackendException("Memcached refuses the credentials: check the user name and the password",
					false, cause);
		}
		if (cause instanceof MemcacheOverloadedException) {
			return new BackendException("more requests to Memcached are under way than its client keeps", true, cause);
		}
		if (cause instanceof TimeoutException) {
			return new BackendException("Memcached did not answer in time", true, cause);
		}
		if (cause instanceof MemcacheClosedException) {
			return new BackendException("Memcached cannot be reached: check its address and that it runs", true, cause);
		}
		return new BackendException("Memcached failed with " + cause.getClass().getSimpleName(), false, cause);
	}

	static BackendException givenUp() {
		return new BackendException("Memcached did not answer in time", true, null);
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
