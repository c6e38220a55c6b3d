package io.distributedlock.spi;

import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;

/**
 * For a {@link LockProvider} whose backend keeps a queue of waiters. For a call that may
 * wait, the engine then takes one place in that queue instead of making many attempts.
 * Messages of the backend may be lost: the engine tells each place at intervals to ask
 * again.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 *
 * @since 0.1
 */
public interface LockQueue {

	/**
	 * Return whether the backend keeps a queue for a lock type. Waiters for other types
	 * make attempts.
	 * @param type the lock type
	 * @return {@code true}, unless the provider says otherwise
	 */
	default boolean queues(LockType type) {
		return true;
	}

	/**
	 * Take a place in the queue for a key, for a new owner. Returns without waiting for
	 * the backend. If the key is free, the place is granted as fast as by
	 * {@link LockProvider#tryAcquire}.
	 * @param request the request
	 * @return the place; the engine leaves it unless it is granted
	 */
	Place enqueue(LeaseRequest request);

	/**
	 * A place in the queue for one key. Thread-safe.
	 */
	interface Place {

		/**
		 * Return the grant of this place.
		 * @return completes with the lease when the place has come to the front; fails,
		 * best with {@link BackendException}, if the place was lost or could not be
		 * taken. The term of the lease starts with the last request before the grant, not
		 * when the place was taken
		 */
		CompletionStage<Lease> granted();

		/**
		 * Ask the backend whether the place has come to the front, since a message may
		 * have been lost. If the place ends with a lease, renew that lease. Called at
		 * least four times per lease time. Does nothing while such a question is under
		 * way. Must not block.
		 */
		void lookAgain();

		/**
		 * Return whether the backend has confirmed that others are in front. Without
		 * that, the end of the wait time does not prove contention.
		 * @return {@code true} if this place waits for others
		 */
		boolean isBehindOthers();

		/**
		 * Leave the queue. A place that is granted at the same time either completes with
		 * its lease, which the engine then releases, or is removed. In no case does
		 * anything stay on the backend for longer than one lease, even if the backend
		 * cannot be reached. Does nothing after the grant. Returns without waiting for
		 * the backend. Idempotent.
		 */
		void leave();

	}

}
