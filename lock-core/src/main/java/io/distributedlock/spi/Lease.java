package io.distributedlock.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * A lock that a backend has granted to one owner. Owned by a secret of its own, never by
 * a thread: all methods may be called from any thread, and none may block.
 * <p>
 * A stage that fails says that the backend could not be asked or its answer was lost; the
 * engine takes the outcome for unknown. Transient failures fail with
 * {@link BackendException}.
 *
 * @since 0.1
 */
public interface Lease {

	/**
	 * Return the fencing token.
	 * @return the token, empty where the provider does not declare
	 * {@link LockCapability#FENCING}
	 */
	OptionalLong fencingToken();

	/**
	 * Return the term that was granted when the lease was acquired.
	 * @return the first term
	 */
	LeaseTerm term();

	/**
	 * Let the lease run anew from now, if this owner still has it. Changes nothing
	 * otherwise.
	 * @param leaseTime how long it shall run from now
	 * @return completes with the new term, or {@code null} if this owner no longer has
	 * the lease
	 */
	CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime);

	/**
	 * End the lease, if this owner still has it. Changes nothing otherwise. May be called
	 * again after a failure.
	 * @return completes with whether this owner still had it
	 */
	CompletionStage<Boolean> release();

	/**
	 * Return this lease as that of a reader, for a writer that goes on reading and lets
	 * others read. It keeps the owner, the token and its term. Nothing changes until the
	 * first renewal of what is returned: the backend then makes the writer a reader, with
	 * no moment at which another writer could get in, and tells those who wait. From then
	 * on this object is not used any more, and {@link #onLost} is not called again. What
	 * is returned also releases, whether the backend has seen that renewal or not; see
	 * {@link io.distributedlock.spi.support.ReaderLease}. Only called for leases of
	 * {@link LockType#WRITE}.
	 * @return the lease of a reader; empty if the backend cannot change it, and the key
	 * stays with its writer alone
	 */
	default Optional<Lease> asReader() {
		return Optional.empty();
	}

	/**
	 * Register what to call when the backend itself says that the lease is gone, such as
	 * a session that ended. Providers without such a message ignore it: the engine
	 * watches the local deadline in any case.
	 * @param signal receives the reason; may be called from any thread, must not block
	 */
	default void onLost(LossSignal signal) {
	}

	/**
	 * Called when a backend reports a lease as gone.
	 */
	@FunctionalInterface
	interface LossSignal {

		/**
		 * Take note of the loss.
		 * @param reason how the lease ended, for an error message
		 */
		void lost(String reason);

	}

}
