package io.distributedlock.memcached;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.spotify.folsom.MemcacheClosedException;
import com.spotify.folsom.ObservableClient;
import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether the client has a connection, and if not, why.
 */
final class MemcachedContact {

	private final ObservableClient client;

	private final CompletableFuture<@Nullable Void> first;

	/**
	 * Completes at the next connection, or fails with the reason why there will be none.
	 */
	private volatile CompletableFuture<@Nullable Void> next;

	/**
	 * Create it.
	 * @param patience how long to wait for the first connection
	 */
	MemcachedContact(ObservableClient client, Duration patience) {
		this.client = client;
		this.next = connecting();
		// one for all callers: a future keeps what follows it, until it is done
		this.first = this.next.exceptionally((failure) -> null)
			.completeOnTimeout(null, patience.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Wait for the first connection. Folsom connects in the background and refuses
	 * commands until it is connected, so an application that has just started must wait.
	 * Later connections are not waited for. If there is no connection in time, the
	 * command itself fails with the reason.
	 */
	CompletableFuture<@Nullable Void> first() {
		return this.first;
	}

	/**
	 * Return whether there is a connection to each server.
	 */
	boolean isComplete() {
		return this.client.numActiveConnections() == this.client.numTotalConnections();
	}

	/**
	 * Return a failure that names refused credentials, if they are the reason for a
	 * missing connection. Folsom reports the reason to callers that wait for a
	 * connection; a command only fails with {@link MemcacheClosedException}.
	 */
	BackendException explain(BackendException failure) {
		if (!(failure.getCause() instanceof MemcacheClosedException)) {
			return failure;
		}
		CompletableFuture<@Nullable Void> current = this.next;
		if (current.isDone() && !current.isCompletedExceptionally()) {
			// that connection is lost: look at the next one
			current = connecting();
			this.next = current;
		}
		// until it is done, a future keeps what follows it, and with that the failure
		return !current.isDone() ? failure
				: current
					.handle((connected, refusal) -> (refusal != null) ? MemcachedErrors.translate(refusal) : failure)
					.join();
	}

	private CompletableFuture<@Nullable Void> connecting() {
		return this.client.connectFuture().toCompletableFuture().<@Nullable Void>thenApply((connected) -> null);
	}

}
