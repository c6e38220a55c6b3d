package io.distributedlock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A lock that is held. Close the handle to release the lock, best in a try-with-resources
 * statement. All methods may be called from any thread.
 * <p>
 * A handle does not belong to a thread. A thread that acquired it by a blocking call
 * re-enters: until the handle is closed, another blocking call for the same key on that
 * thread succeeds immediately.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 *
 * @since 0.1
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return the full key of the lock, as the backend sees it: prefix, name and key.
	 * @return the full key
	 */
	String key();

	/**
	 * Return the name of the lock's provider.
	 * @return the provider's name, such as {@code redisson}
	 */
	String provider();

	/**
	 * Return the fencing token of the lease: a number that is higher for each later owner
	 * of the same key. Send it to the resource that the lock protects, and let the
	 * resource refuse a write with a lower token than the highest that it has seen.
	 * Nothing else stops a holder that was paused for longer than its lease.
	 * @return the token; empty if the provider has none, for a permit of a semaphore, and
	 * for several locks
	 */
	OptionalLong fencingToken();

	/**
	 * Return what to send to a resource that the lock protects: key, lock type and
	 * fencing token in one.
	 * @return the sequencer, empty where the provider has no fencing token
	 */
	Optional<Sequencer> sequencer();

	/**
	 * Return whether the lease still runs, by this JVM's monotonic clock and without a
	 * call to the backend. The local deadline is earlier than the backend's own expiry,
	 * so {@code true} is safe.
	 * @return {@code true} while the lock is held and its local deadline has not passed
	 */
	boolean isValid();

	/**
	 * Return the time until the local deadline, if the lease is not renewed. Where the
	 * release of another owner granted the lock (Redis), this is at first shorter than
	 * the lease: about a second and a half, until the first renewal, which follows within
	 * a third of that.
	 * @return the time left, zero once the lock is lost or released
	 */
	Duration remaining();

	/**
	 * Return whether this handle was closed. The loss of a lock does not close its
	 * handle.
	 * @return {@code true} from the first call of {@link #close()} on
	 */
	boolean isClosed();

	/**
	 * Return the handles of locks that were acquired together, each with its own key and
	 * fencing token. Closing one of them releases only that lock.
	 * @return the handles in the order of acquisition; only this one if the request was
	 * for one lock
	 */
	default List<LockHandle> parts() {
		return List.of(this);
	}

	/**
	 * Throw an exception if the lease no longer runs. Call it before a step that must not
	 * happen without the lock. Makes no call to the backend.
	 * @throws LockLostException if the lease has ended, or the handle was closed
	 */
	void ensureHeld();

	/**
	 * Make the lease end this long from now, or later: an extension never makes it end
	 * earlier. An auto-renewed lease stays auto-renewed. Asks the backend, and waits for
	 * the answer at most the command time-out.
	 * @param leaseTime how long the lease is to run from now
	 * @throws LockLostException if this owner no longer has the lock
	 * @throws LockUnavailableException if the backend failed; the lease then ends when it
	 * would have ended without the extension
	 * @throws IllegalArgumentException if the provider cannot keep a lease of that length
	 */
	void extend(Duration leaseTime);

	/**
	 * As {@link #extend(Duration)}, without blocking the calling thread.
	 * @param leaseTime how long the lease is to run from now
	 * @return completes when the backend has answered, on a thread of the template's
	 * executor; fails with what {@link #extend(Duration)} throws
	 */
	CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime);

	/**
	 * Make sure that enough time is left for the next step. Asks the backend for more
	 * time only if less is left.
	 * @param duration the time that must be left until the local deadline
	 * @throws LockLostException if this owner no longer has the lock, or the backend
	 * grants less
	 * @throws LockUnavailableException if less time is left and the backend failed
	 */
	void ensureAtLeast(Duration duration);

	/**
	 * Register a callback for the time shortly before the lease ends: because its lease
	 * time is nearly over, or because it could not be renewed. It is called on a thread
	 * of the template's executor. It needs no answer from the backend, so it is called
	 * during an outage too. If the lease is renewed, it is called again before the new
	 * end. It is called immediately if the end is that near already, and never after a
	 * release or a loss.
	 * @param margin how long before the local deadline. While the backend has granted
	 * less than the lease time, and the lease is about to be renewed, at most half of
	 * what it has granted
	 * @param callback the callback; what it throws is logged
	 */
	void onExpiring(Duration margin, Runnable callback);

	/**
	 * Register a callback for the loss of the lock: the lease expired, the backend
	 * refused to renew it, or the template was closed. It is called once, no later than
	 * the local deadline, on a thread of the template's executor: the executor that was
	 * given to its builder, or else the template's own threads for callbacks. It is
	 * called immediately if the lock is lost already, and never after a release.
	 * @param callback receives the reason; what it throws is logged
	 */
	void onLost(Consumer<LockLostException> callback);

	/**
	 * Leave the lock, and release it if no other re-entrant handle is open. Idempotent.
	 * Waits for the backend at most the command time-out. Never throws: if the backend
	 * cannot be reached, a warning is logged and the lease expires by itself.
	 */
	@Override
	void close();

	/**
	 * As {@link #close()}, after work that may have failed.
	 * @param workFailure what the work threw; a failed release is added to it as
	 * suppressed. {@code null} if the work did not fail
	 */
	void close(@Nullable Throwable workFailure);

	/**
	 * As {@link #close()}, without blocking the calling thread.
	 * @return completes, always normally, when the release has succeeded or failed; on a
	 * thread of the template's executor
	 */
	CompletableFuture<@Nullable Void> closeAsync();

}
