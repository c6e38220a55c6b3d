package io.distributedlock.memcached;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.spotify.folsom.MemcacheClosedException;
import com.spotify.folsom.ObservableClient;
import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the client has a connection, and why it has none.
 */
final class MemcachedContact {

	private final ObservableClient client;

	private final CompletableFuture<@Nullable Void> first;

	/**
	 * Completes at the next connection, or with the reason why there will be none.
	 */
	private volatile CompletableFuture<@Nullable Void> next;

	MemcachedContact(ObservableClient client) {
		this.client = client;
		this.first = connecting();
		this.next = this.first;
	}

	/**
	 * Wait for the first connection. Folsom connects in the background and refuses what
	 * comes before it has: an application that has just started waits for it, but for
	 * none that comes later. The command itself says why there is no connection.
	 */
	CompletableFuture<@Nullable Void> first(Duration patience) {
		return this.first.exceptionally((failure) -> null)
			.completeOnTimeout(null, patience.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Say that the credentials were refused, if that is why there is no connection:
	 * Folsom tells those who wait for one, and others only that it has none.
	 */
	BackendException explain(BackendException failure) {
		if (!(failure.getCause() instanceof MemcacheClosedException)) {
			return failure;
		}
		CompletableFuture<@Nullable Void> current = this.next;
		if (current.isDone() && !current.isCompletedExceptionally()) {
			// there was a connection: what has become of the next one
			current = connecting();
			this.next = current;
		}
		return current.handle((connected, refusal) -> refusal)
			.thenApply((refusal) -> (refusal != null) ? MemcachedErrors.translate(refusal) : failure)
			.getNow(failure);
	}

	private CompletableFuture<@Nullable Void> connecting() {
		return this.client.connectFuture().toCompletableFuture().<@Nullable Void>thenApply((connected) -> null);
	}

}
