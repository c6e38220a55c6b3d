package io.distributedlock.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Says how the observations of locks are named and tagged. Replace
 * {@link DefaultLockObservationConvention} by one of your own, best a subclass of it. It
 * is called at the start and at the end of each observation, on threads of callers and of
 * the library: it must be thread-safe, fast, and always return the same tags.
 *
 * @since 0.1
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	/**
	 * Return the name of an observation. It is also the name of its timer.
	 * @param phase what is observed
	 * @return the name
	 */
	String getName(LockObservationContext.Phase phase);

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

}
