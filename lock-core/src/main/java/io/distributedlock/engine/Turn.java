package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/**
 * One caller's turn at a key among those of this JVM: entered once, and left in any case.
 */
interface Turn {

	/**
	 * The turn of a caller that need not queue in this JVM: the backend orders those that
	 * share a key, or that want to be served in one order over all nodes.
	 */
	Turn FREE = new Turn() {

		@Override
		public boolean enter() {
			return true;
		}

		@Override
		public void leave() {
			// nobody waits behind it
		}

		@Override
		public Outcome verdict() {
			// nobody of this JVM is in front
			return Outcome.CONTENDED;
		}

	};

	/**
	 * Take the place.
	 * @return {@code true} if it is inside at once; {@code false} if it queues
	 */
	boolean enter();

	/**
	 * Leave, and let the next in if this one was inside. Idempotent.
	 */
	void leave();

	/**
	 * Return how a wait ends that is over before this turn comes: as the one who is
	 * inside knows.
	 * @return the outcome, {@code null} if the one inside has no answer yet
	 */
	@Nullable Outcome verdict();

}
