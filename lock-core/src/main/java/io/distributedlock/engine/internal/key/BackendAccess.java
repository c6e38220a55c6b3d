package io.distributedlock.engine.internal.key;

import java.time.Duration;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.spi.LeaseRequest;

/**
 * How the calls of a template ask the backends.
 *
 * @param runtime time and threads
 * @param timers runs the next question later
 * @param providerCalls asks the providers
 * @param outages knows which providers are down
 * @param pollNanos how long to wait for a signal before asking without one
 * @param interopPolling how often code of another library may ask for the same keys, zero
 * if there is none
 */
public record BackendAccess(EngineRuntime runtime, Timers timers, ProviderCalls providerCalls, OutageWatch outages,
		long pollNanos, Duration interopPolling) {

	private static final int LOOKS_PER_LEASE = 4;

	/**
	 * Return what a provider is asked for.
	 * @param giveUpAtNanos when nobody waits for the answer any more
	 * @param tokens how many fencing tokens to ask for
	 */
	LeaseRequest request(LockAttempt attempt, long giveUpAtNanos, int tokens) {
		return new LeaseRequest(attempt.key(), attempt.leaseOnBackend(), attempt.type(), attempt.permits(),
				giveUpAtNanos, tokens, Duration.ofNanos(lookNanos(attempt)), attempt.lockDelay(), this.interopPolling);
	}

	/**
	 * Return how often to ask about a place in a queue of the backend. A place ends with
	 * its lease if nobody asks about it. Four questions in that time leave room for three
	 * that are lost.
	 */
	long lookNanos(LockAttempt attempt) {
		return Math.min(this.pollNanos, attempt.leaseOnBackend().toNanos() / LOOKS_PER_LEASE);
	}

}
