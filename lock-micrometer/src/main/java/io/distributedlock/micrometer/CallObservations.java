package io.distributedlock.micrometer;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

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

	/**
	 * A loss and a release may come together, and a release comes after a loss.
	 */
	private final AtomicBoolean ended = new AtomicBoolean();

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
		endAcquiring(switch (reason) {
			case CONTENDED -> Outcome.CONTENDED;
			case CROWDED -> Outcome.CROWDED;
			case INTERRUPTED -> Outcome.INTERRUPTED;
			case CLOSED -> Outcome.CLOSED;
			case NO_THREAD -> Outcome.NO_THREAD;
		});
	}

	@Override
	public void unavailable(Throwable failure) {
		this.acquiring.error(failure);
		endAcquiring(Outcome.UNAVAILABLE);
	}

	@Override
	public void released() {
		if (this.ended.compareAndSet(false, true)) {
			this.holdingContext.setOutcome(Outcome.RELEASED);
			this.holding.stop();
		}
	}

	@Override
	public void lost(LockLostException loss) {
		if (this.ended.compareAndSet(false, true)) {
			this.holdingContext.setOutcome(Outcome.LOST);
			this.holding.error(loss);
			this.holding.stop();
		}
	}

	private void endAcquiring(Outcome outcome) {
		this.acquiringContext.setOutcome(outcome);
		this.acquiring.stop();
	}

}
