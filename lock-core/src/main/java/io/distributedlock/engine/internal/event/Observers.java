package io.distributedlock.engine.internal.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.event.LockInfo;
import io.distributedlock.event.LockObservation;
import io.distributedlock.event.LockObserver;

/**
 * Begins an observation of each call for a lock. Costs nothing where there are no
 * observers.
 */
public final class Observers {

	private final EngineRuntime runtime;

	private final List<LockObserver> all;

	public Observers(EngineRuntime runtime, List<LockObserver> observers) {
		this.runtime = runtime;
		this.all = List.copyOf(observers);
	}

	/**
	 * Tell all observers that a call begins on this thread.
	 */
	public ObservedCall begin(LockAttempt attempt) {
		if (this.all.isEmpty()) {
			return ObservedCall.NONE;
		}
		LockInfo lock = attempt.info();
		List<LockObservation> observations = new ArrayList<>(this.all.size());
		for (LockObserver observer : this.all) {
			Guard.run("an observer of locks", () -> observations
				.add(Objects.requireNonNull(observer.begin(lock), () -> observer + " returned no observation")));
		}
		return new ObservedCall(observations, this.runtime);
	}

}
