package io.distributedlock.micrometer;

import java.util.OptionalLong;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.event.LockObservation;
import io.distributedlock.micrometer.LockObservationContext.Outcome;
import io.micrometer.observation.Observation;

/**
 * The two observations of one call.
 */
final class CallObservations implements LockObservation {

	private final LockObservationContext acquiringContext;

	private final Observation acquiring;

	private final LockObservationContext holdingContext;

	private final Observation holding;

	private boolean lost;

	CallObservations(LockObservationContext acquiringContext, Observation acquiring,
			LockObservationContext holdingContext, Observation holding) {
		this.acquiringContext = acquiringContext;
		this.acquiring = acquiring;
		this.holdingContext = holdingContext;
		this.holding = holding;
	}

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
		if (!this.lost) {
			endHolding(Outcome.RELEASED);
		}
	}

	@Override
	public void lost(LockLostException loss) {
		this.lost = true;
		this.holding.error(loss);
		endHolding(Outcome.LOST);
	}

	private void endHolding(Outcome outcome) {
		this.holdingContext.setOutcome(outcome);
		this.holding.stop();
	}

	private void endAcquiring(Outcome outcome) {
		this.acquiringContext.setOutcome(outcome);
		this.acquiring.stop();
	}

}
