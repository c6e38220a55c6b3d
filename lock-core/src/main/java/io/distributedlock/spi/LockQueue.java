package io.distributedlock.spi;

import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;

/**
 * A provider whose backend queues waiters itself. The engine then takes one place for a
 * call that may wait, instead of attempt after attempt. Messages may be missed: the
 * engine asks each place to look again at intervals.
 *
 * @since 0.1
 */
public interface LockQueue {

	/**
	 * Return whether waiters for a kind of lock are queued. Those for other kinds make
	 * attempt after attempt.
	 * @param type the kind of lock
	 * @return {@code true}, unless the provider says otherwise
	 */
	default boolean queues(LockType type) {
		return true;
	}

	/**
	 * Take a place in the queue for a key, for a new owner. Returns without waiting for
	 * the backend. If the key is free the place is granted as fast as by
	 * {@link LockProvider#tryAcquire}.
	 * @param request what to get
	 * @return the place, to be left unless it is granted
	 */
	Place enqueue(LeaseRequest request);

	/**
	 * A place in the queue for one key. Thread-safe.
	 */
	interface Place {

		/**
		 * Return what tells that the place has come to the front.
		 * @return completes with the lease; fails, best with {@link BackendException}, if
		 * the place was lost or could not be taken. The lease starts when the backend was
		 * asked last before it was granted, not when the place was taken
		 */
		CompletionStage<Lease> granted();

		/**
		 * Look whether the place has come to the front, in case that a message was
		 * missed, and keep the place alive where it is kept by a lease. Called at least
		 * four times per length of the lease. Does nothing while such a look is under
		 * way. Must not block.
		 */
		void lookAgain();

		/**
		 * Return whether the backend has confirmed that others are in front. As long as
		 * it has not, the end of the wait time is no proof of contention.
		 * @return {@code true} if this place waits for others
		 */
		boolean isBehindOthers();

		/**
		 * Leave the queue. A place that is being granted meanwhile either completes with
		 * its lease, which the engine then gives back, or is removed; nothing outlives
		 * one lease even if the backend cannot be reached. Does nothing after the grant.
		 * Returns without waiting for the backend. Idempotent.
		 */
		void leave();

	}

}
