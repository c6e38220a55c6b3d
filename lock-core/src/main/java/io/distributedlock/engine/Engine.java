package io.distributedlock.engine;

import java.time.Duration;

/**
 * What all calls of one template share.
 *
 * @param runtime time and threads
 * @param timers runs tasks of the engine later
 * @param questions asks the providers
 * @param gate lets one call per key through to the backend
 * @param waiting the calls under way
 * @param outages knows which providers are down
 * @param keeper renews leases and watches deadlines
 * @param releaser releases leases
 * @param pollNanos how long to wait for a signal before asking without one
 * @param commandTimeout how long a command may take
 * @param listeners are told what happens
 * @param observers observe each call
 * @param callbacks runs code of the user for its caller
 * @param asyncRelease whether who closes a lock does not wait for the release
 */
record Engine(EngineRuntime runtime, Timers timers, Questions questions, LocalGate gate, WaitingCalls waiting,
		OutageWatch outages, LeaseKeeper keeper, LeaseReleaser releaser, long pollNanos, Duration commandTimeout,
		Listeners listeners, Observers observers, Callbacks callbacks, boolean asyncRelease) {

	static Engine create(EngineRuntime runtime, LockTemplateBuilder builder) {
		Timers timers = new Timers(runtime);
		Questions questions = new Questions(runtime, timers, builder.commandTimeout);
		Listeners listeners = new Listeners(runtime, builder.listeners);
		WaitingCalls waiting = new WaitingCalls();
		// where time is not the JVM's, nobody waits for a warning
		HoldReview review = new HoldReview(runtime, timers, waiting, builder.warnAfter,
				builder.runtime == null && builder.clock == null);
		LeaseKeeper keeper = new LeaseKeeper(runtime, timers, questions, listeners, review);
		OutageWatch outages = new OutageWatch(runtime, timers, questions, waiting, listeners,
				!builder.waitThroughOutage);
		return new Engine(runtime, timers, questions, new LocalGate(), waiting, outages, keeper,
				new LeaseReleaser(runtime, timers, questions, keeper, listeners,
						new HandOver(runtime, builder.handOverWindow, builder.handOverLimit)),
				LockTimes.saturatedNanos(builder.pollInterval), LockTimes.saturated(builder.commandTimeout), listeners,
				new Observers(runtime, builder.observers), new Callbacks(runtime, builder.callerContext),
				builder.asyncRelease);
	}

	/**
	 * Return whether no call is under way, no lock is held, and no release is unanswered.
	 */
	boolean isIdle() {
		return this.waiting.underWay() == 0 && this.keeper.size() == 0 && this.releaser.pending().isEmpty();
	}

	long nanoTime() {
		return this.runtime.nanoTime();
	}

}
