package io.distributedlock.micrometer;

import java.util.OptionalLong;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.event.LockObservation;
import io.distributedlock.micrometer.LockObservationContext.Outcome;
import io.micrometer.observation.Observation;

/**
 * The two observations of one call.
 *
 * @param acquiringContext what is known of the first one
 * @param acquiring the first one, until the lock is acquired or the call gives up
 * @param holdingContext what is known of the second one
 * @param holding the second one, until the lock is released or lost
 */
record CallObservations(LockObservationContext acquiringContext, Observation acquiring,
		LockObservationContext holdingContext, Observation holding) implements LockObservation {

	@Override
	public void acquired(OptionalLong fencingToken, boolean passedOn) {
		this.acquiringContext.setFencingToken(fencingToken);
		this.holdingContext.setFencingToken(fencingToken);
		try {
			endAcquiring(Outcome.ACQUIRED);
		}
		finally {
			// even if a handler of the first one has failed
			this.holding.start();
		}
	}

	@Override
	public void notAcquired(LockNotAcquiredException.Reason reason) {
		// each reason is an outcome, too
		endAcquiring(Outcome.valueOf(reason.name()));
	}

	@Override
	public void unavailable(Throwable failure) {
		this.acquiring.error(failure);
		endAcquiring(Outcome.UNAVAILABLE);
	}

	@Override
	public void released() {
		if (this.holdingContext.getOutcome() != Outcome.LOST) {
			this.holdingContext.setOutcome(Outcome.RELEASED);
			this.holding.stop();
		}
	}

	@Override
	public void lost(LockLostException loss) {
		this.holdingContext.setOutcome(Outcome.LOST);
		this.holding.error(loss);
		this.holding.stop();
	}

	private void endAcquiring(Outcome outcome) {
		this.acquiringContext.setOutcome(outcome);
		this.acquiring.stop();
	}

}
