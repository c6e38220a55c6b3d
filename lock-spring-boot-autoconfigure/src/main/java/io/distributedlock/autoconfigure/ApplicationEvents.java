package io.distributedlock.autoconfigure;

import java.util.Set;

import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what happens to locks to the event listeners of the application.
 *
 * @param events publishes
 * @param all whether to publish everything, or only what somebody may want to act on: a
 * call without its lock, a lock that was lost, a holder that left late, a provider that
 * is down
 */
record ApplicationEvents(ApplicationEventPublisher events, boolean all) implements LockListener {

	private static final Set<Class<? extends LockEvent>> PROBLEMS = Set.of(LockEvent.NotAcquired.class,
			LockEvent.Lost.class, LockEvent.ReleasedLate.class, LockEvent.OutageBegan.class,
			LockEvent.OutageEnded.class);

	/**
	 * Others were in the way. An interrupt and a shutdown are no contention.
	 */
	private static final Set<Reason> CONTENTION = Set.of(Reason.CONTENDED, Reason.CROWDED);

	@Override
	public void on(LockEvent event) {
		if (this.all || !(event instanceof LockEvent.NotAcquired refused) || CONTENTION.contains(refused.reason())) {
			this.events.publishEvent(event);
		}
	}

	@Override
	public Set<Class<? extends LockEvent>> kinds() {
		return this.all ? LockListener.super.kinds() : PROBLEMS;
	}

}
