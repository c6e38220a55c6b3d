package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.spring.LockAcquiredEvent;
import io.distributedlock.spring.LockReleasedEvent;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes also what goes well. Apart from {@link ApplicationEvents}, because a listener
 * that hears of each lock costs a task for each.
 *
 * @param events publishes to the application's listeners
 */
record AllApplicationEvents(ApplicationEventPublisher events) implements LockListener {

	@Override
	public void acquired(LockEvent event, Duration waited) {
		this.events.publishEvent(new LockAcquiredEvent(event, waited));
	}

	@Override
	public void released(LockEvent event, Duration held) {
		this.events.publishEvent(new LockReleasedEvent(event, held));
	}

}
