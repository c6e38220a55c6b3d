package io.distributedlock.micrometer;

import io.distributedlock.event.LockInfo;
import io.distributedlock.event.LockObservation;
import io.distributedlock.event.LockObserver;
import io.distributedlock.micrometer.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/**
 * Observes each call by two Micrometer observations, from which handlers make timers and
 * spans: one while it acquires the lock, one while the lock is held. Both have the
 * caller's current observation as parent. No scope is opened: observations of the work
 * under the lock do not become children of these. A loss is an error of the second one,
 * an outage one of the first. Thread-safe.
 *
 * @since 0.1
 */
public final class LockObservations implements LockObserver {

	private static final LockObservation NOTHING = new LockObservation() {
	};

	private final ObservationRegistry registry;

	private final LockObservationConvention convention;

	private final LockNames names = new LockNames();

	/**
	 * Create an observer with the default convention, which does not show keys.
	 * @param registry gets the observations
	 */
	public LockObservations(ObservationRegistry registry) {
		this(registry, new DefaultLockObservationConvention(false));
	}

	/**
	 * Create an observer.
	 * @param registry gets the observations
	 * @param convention says how they are named and tagged
	 */
	public LockObservations(ObservationRegistry registry, LockObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	@Override
	public LockObservation begin(LockInfo call) {
		if (this.registry.isNoop()) {
			return NOTHING;
		}
		String name = this.names.tagOf(call.name());
		LockObservationContext acquiring = new LockObservationContext(Phase.ACQUIRE, call, name);
		LockObservationContext holding = new LockObservationContext(Phase.HOLD, call, name);
		// both here, on the thread of the caller, whose current observation is their
		// parent
		Observation later = observation(holding);
		return new CallObservations(acquiring, observation(acquiring).start(), holding, later);
	}

	private Observation observation(LockObservationContext context) {
		return Observation.createNotStarted(this.convention.getName(context.getPhase()), () -> context, this.registry)
			.observationConvention(this.convention);
	}

}
