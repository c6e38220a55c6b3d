package io.distributedlock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A lock that is held. Close it to give the lock back, best in a try-with-resources
 * statement. All methods may be called from any thread.
 * <p>
 * A handle belongs to whoever has the object, not to a thread. A handle that a thread
 * acquired by a blocking call is also what this thread re-enters: until it is closed, a
 * further blocking call for the same key on that thread succeeds at once.
 *
 * @since 0.1
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return the key of the lock as the backend knows it: prefix, name and key.
	 * @return the full key
	 */
	String key();

	/**
	 * Return the name of the provider that holds the lock.
	 * @return the provider's name, such as {@code redisson}
	 */
	String provider();

	/**
	 * Return the fencing token of the lease: a number that is higher for each later owner
	 * of the same key. Hand it to the resource that the lock guards and let the resource
	 * refuse every write that carries a lower token than one it has seen; only so a
	 * holder that was paused beyond its lease can do no harm.
	 * @return the token, empty where the provider has none
	 */
	OptionalLong fencingToken();

	/**
	 * Return what to show to a resource that the lock guards: key, kind and fencing token
	 * in one.
	 * @return the sequencer, empty where the provider has no fencing token
	 */
	Optional<Sequencer> sequencer();

	/**
	 * Return whether the lease still runs, judged by this JVM's monotonic clock and
	 * without a call to the backend. The answer errs on the safe side: the local deadline
	 * lies before the backend's own expiry.
	 * @return {@code true} while the lock is held and inside its local deadline
	 */
	boolean isValid();

	/**
	 * Return how long the lease will run if it is not renewed, by the local deadline.
	 * @return the time left, zero once the lock is lost or released
	 */
	Duration remaining();

	/**
	 * Return whether this handle was closed. A lock that was lost is not closed by that.
	 * @return {@code true} from the first call of {@link #close()} on
	 */
	boolean isClosed();

	/**
	 * Return the locks that were had together, each with a key and a fencing token of its
	 * own. Closing one of them gives back that one only.
	 * @return the handles in the order in which the locks were taken; only this one
	 * unless several locks were asked for
	 */
	default List<LockHandle> parts() {
		return List.of(this);
	}

	/**
	 * Fail unless the lease still runs. Call it before a step that must not happen
	 * without the lock. Makes no call to the backend.
	 * @throws LockLostException if the lease has ended, or the lock was given back
	 */
	void ensureHeld();

	/**
	 * Make the lease end this long from now, even if that is earlier or later than
	 * before. A lease that is kept alive stays so. Asks the backend, and waits for the
	 * answer at most the command time-out.
	 * @param leaseTime how long the lease shall run
	 * @throws LockLostException if this owner no longer has the lock
	 * @throws LockUnavailableException if the backend failed; the lease then ends when it
	 * would have ended, or after the time that was asked for if that is earlier
	 * @throws IllegalArgumentException if the provider cannot keep a lease of that length
	 */
	void extend(Duration leaseTime);

	/**
	 * As {@link #extend(Duration)}, without blocking the calling thread.
	 * @param leaseTime how long the lease shall run
	 * @return completes when the backend has answered, on a thread of the template's
	 * executor; fails with what {@link #extend(Duration)} throws
	 */
	CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime);

	/**
	 * Make sure, before a step that takes a while, that the lock is held for long enough.
	 * Asks the backend for more time only if there is less left.
	 * @param duration the time that must be left, by the local deadline
	 * @throws LockLostException if this owner no longer has the lock, or the backend does
	 * not grant as much
	 * @throws LockUnavailableException if there is less time left and the backend failed
	 */
	void ensureAtLeast(Duration duration);

	/**
	 * Have a callback called when so little time is left of the lease: because its
	 * explicit end comes near, or because it could not be renewed. Called on a thread of
	 * the template's executor, by this JVM's clock and so also while the backend cannot
	 * be reached; again if the lease was renewed meanwhile and runs short once more; at
	 * once if it is that short already; never after a release or a loss.
	 * @param margin how long before the local deadline
	 * @param callback what to do; what it throws is logged
	 */
	void onExpiring(Duration margin, Runnable callback);

	/**
	 * Have a callback called once when the lease ends while the lock is held: expired,
	 * refused at renewal, or the template closed. It is called no later than the local
	 * deadline, on a thread of the template's executor; at once if the loss has already
	 * happened; never after a release.
	 * @param callback receives the reason; what it throws is logged
	 */
	void onLost(Consumer<LockLostException> callback);

	/**
	 * Give the lock back. Idempotent. An outer re-entrant holder keeps the lock until it
	 * closes its own handle. Never throws: a lease that had ended already is a no-op, and
	 * a backend that cannot be reached is logged, the lease then ends by itself.
	 */
	@Override
	void close();

	/**
	 * As {@link #close()}, after work that may have failed.
	 * @param workFailure what the work threw, to which a failed release is added as
	 * suppressed; {@code null} if it did not fail
	 */
	void close(@Nullable Throwable workFailure);

	/**
	 * As {@link #close()}, without blocking the calling thread.
	 * @return completes, always normally, when the lock is given back or that has failed;
	 * on a thread of the template's executor
	 */
	CompletableFuture<@Nullable Void> closeAsync();

}
