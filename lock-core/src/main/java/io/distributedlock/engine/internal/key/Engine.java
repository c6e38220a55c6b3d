package io.distributedlock.engine.internal.key;

import java.time.Duration;

import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.spi.LeaseRequest;

/**
 * What each call of a template needs to get its lock.
 *
 * @param runtime time and threads
 * @param timers runs tasks of the engine later
 * @param providerCalls asks the providers
 * @param keys the keys in use
 * @param calls the calls under way
 * @param outages knows which providers are down
 * @param keeper renews leases and watches deadlines
 * @param releaser releases leases
 * @param listeners are told what happens
 * @param pollNanos how long to wait for a signal before asking without one
 * @param interopPolling how often code of another library may ask for the same keys, zero
 * if there is none
 */
public record Engine(EngineRuntime runtime, Timers timers, ProviderCalls providerCalls, KeyLocks keys,
		CallsUnderWay calls, OutageWatch outages, LeaseKeeper keeper, LeaseReleaser releaser, Listeners listeners,
		long pollNanos, Duration interopPolling) {

	/**
	 * Return what a provider is asked for.
	 * @param giveUpAtNanos when nobody waits for the answer any more
	 * @param tokens how many fencing tokens to ask for
	 */
	LeaseRequest request(LockAttempt attempt, long giveUpAtNanos, int tokens) {
		return attempt.request(giveUpAtNanos, tokens, this.pollNanos, this.interopPolling);
	}

	public long nanoTime() {
		return this.runtime.nanoTime();
	}

}
