package io.distributedlock.engine.internal.key;

import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.event.Observers;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;

/**
 * What each call of a template needs to get its lock.
 *
 * @param runtime time and threads
 * @param timers runs tasks of the engine later
 * @param questions asks the providers
 * @param gate lets one call per key through to the backend
 * @param waiting the calls under way
 * @param outages knows which providers are down
 * @param keeper renews leases and watches deadlines
 * @param releaser releases leases
 * @param listeners are told what happens
 * @param observers observe each call
 * @param pollNanos how long to wait for a signal before asking without one
 */
public record Engine(EngineRuntime runtime, Timers timers, ProviderCalls providerCalls, LocalGate gate,
		WaitingCalls waiting, OutageWatch outages, LeaseKeeper keeper, LeaseReleaser releaser, Listeners listeners,
		Observers observers, long pollNanos) {

	/**
	 * Return whether no call is under way, no lock is held, and no release is unanswered.
	 */
	public boolean isIdle() {
		return this.waiting.underWay() == 0 && this.keeper.size() == 0 && this.releaser.pending().isEmpty();
	}

	public long nanoTime() {
		return this.runtime.nanoTime();
	}

}
