package io.distributedlock.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import org.jspecify.annotations.Nullable;

/**
 * The time-limited right that a backend has granted to one owner. The owner is not a
 * thread: all methods may be called from any thread, and none may block.
 * <p>
 * A stage fails if the request failed or its answer was lost; the engine then does not
 * know whether the backend carried it out. A failure that may pass is a
 * {@link BackendException} that is retryable.
 * <p>
 * Why: docs/decisions/009-lease-and-term.md
 *
 * @since 0.1
 */
public interface Lease {

	/**
	 * Return the fencing token.
	 * @return the token; empty, as by default, for a permit of a semaphore, and if the
	 * provider does not declare {@link LockCapability#FENCING}
	 */
	default OptionalLong fencingToken() {
		return OptionalLong.empty();
	}

	/**
	 * Return how many fencing tokens this lease brings: so many consecutive numbers, from
	 * {@link #fencingToken()} on, are granted to no other lease of the key. If callers of
	 * this JVM get the lock one after the other, each has a token of its own. A lease
	 * with one token is not passed on; a lease without tokens may be.
	 * @return the number of tokens, 1 if the backend does not count in blocks
	 */
	default int fencingTokens() {
		return 1;
	}

	/**
	 * Return whether others may wait for the key at the backend. As long as nobody does,
	 * this JVM may pass the lock from caller to caller; otherwise only for a short time.
	 * Only a hint: it may be outdated. Must not block.
	 * @return {@code false} only if the backend has said that nobody waits
	 */
	default boolean isAwaited() {
		return true;
	}

	/**
	 * Return what names this grant on the backend. It tells nothing about a person or a
	 * machine, but whoever knows it and may write to the backend can release the lease:
	 * it does not belong in a log.
	 * @return the {@link LockOwner#id()} of this lease; empty, as by default, if the
	 * provider does not implement {@link LockOwners}
	 */
	default Optional<String> ownerId() {
		return Optional.empty();
	}

	/**
	 * Return the term with which the lease was granted.
	 * @return the first term
	 */
	LeaseTerm term();

	/**
	 * Let the lease run anew from now, if this owner still has it; otherwise change
	 * nothing.
	 * @param leaseTime how long it is to run from now
	 * @return completes with the new term, or {@code null} if this owner no longer has
	 * the lease
	 */
	CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime);

	/**
	 * End the lease, if this owner still has it; otherwise change nothing. May be called
	 * again after a failure.
	 * @return completes with {@code true} if this owner still had the lease
	 */
	CompletionStage<Boolean> release();

	/**
	 * Register a callback for a message of the backend that the lease is gone, for
	 * example because its session has ended. A provider whose backend sends no such
	 * message ignores it: the engine watches the local deadline in any case.
	 * @param signal receives the reason; may be called from any thread, must not block
	 */
	default void onLost(LossSignal signal) {
	}

	/**
	 * Called when a backend reports that a lease is gone.
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
