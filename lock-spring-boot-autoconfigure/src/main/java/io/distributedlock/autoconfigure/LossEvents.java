package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.spring.LockLostEvent;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes a {@link LockLostEvent} for each loss.
 *
 * @param events publishes to the application's listeners
 */
record LossEvents(ApplicationEventPublisher events) implements LockListener {

	@Override
	public void lost(LockEvent event, Duration held, LockLostException loss) {
		this.events.publishEvent(new LockLostEvent(loss.getKey(), loss));
	}

}
