package io.distributedlock.micrometer;

import java.util.OptionalLong;

import io.distributedlock.event.LockInfo;
import io.micrometer.observation.Observation;

/**
 * What is known of an observed call. A {@link LockObservationConvention} makes names and
 * tags of it. Thread-safe for readers: it changes before the observation ends.
 *
 * @since 0.1
 */
public final class LockObservationContext extends Observation.Context {

	private final Phase phase;

	private final LockInfo lock;

	private final String lockName;

	private volatile Outcome outcome = Outcome.NONE;

	private volatile OptionalLong fencingToken = OptionalLong.empty();

	LockObservationContext(Phase phase, LockInfo lock, String lockName) {
		this.phase = phase;
		this.lock = lock;
		this.lockName = lockName;
	}

	/**
	 * Return what is observed.
	 * @return the phase
	 */
	public Phase getPhase() {
		return this.phase;
	}

	/**
	 * Return the lock that is asked for or held. Its name and its key may be too many for
	 * the tag of a meter.
	 * @return the lock
	 */
	public LockInfo getLock() {
		return this.lock;
	}

	/**
	 * Return the name of the lock, for the tag of a meter.
	 * @return the name; {@code none} if it has none, {@code other} if there are already
	 * 500 names
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Return how the phase has ended.
	 * @return the outcome, {@link Outcome#NONE} while it goes on
	 */
	public Outcome getOutcome() {
		return this.outcome;
	}

	void setOutcome(Outcome outcome) {
		this.outcome = outcome;
	}

	/**
	 * Return the fencing token of the grant.
	 * @return the token, empty if the lock is not held or has none
	 */
	public OptionalLong getFencingToken() {
		return this.fencingToken;
	}

	void setFencingToken(OptionalLong fencingToken) {
		this.fencingToken = fencingToken;
	}

	/**
	 * What an observation is about.
	 */
	public enum Phase {

		/**
		 * From the call until the lock is acquired or the call gives up.
		 */
		ACQUIRE,

		/**
		 * From the acquisition until the last holder has left or the lock is lost.
		 */
		HOLD

	}

	/**
	 * How a phase has ended.
	 */
	public enum Outcome {

		/**
		 * It has not ended yet.
		 */
		NONE,

		/**
		 * The lock was acquired.
		 */
		ACQUIRED,

		/**
		 * Another owner held the lock for the whole wait time.
		 */
		CONTENDED,

		/**
		 * Too many calls of this JVM waited for the key already.
		 */
		CROWDED,

		/**
		 * The waiting thread was interrupted, or the future was cancelled.
		 */
		INTERRUPTED,

		/**
		 * The template was closed.
		 */
		CLOSED,

		/**
		 * No thread of the executor began the asynchronous work in time.
		 */
		NO_THREAD,

		/**
		 * The backend failed or did not answer.
		 */
		UNAVAILABLE,

		/**
		 * The last holder has left.
		 */
		RELEASED,

		/**
		 * The lease ended before the last holder left.
		 */
		LOST

	}

}
