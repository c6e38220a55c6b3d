package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.spring.LockContendedEvent;
import io.distributedlock.spring.LockLateReleaseEvent;
import io.distributedlock.spring.LockLostEvent;
import io.distributedlock.spring.LockOutageEvent;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what somebody may want to act on: a call without its lock, a lock that was
 * lost, a holder that left late, a provider that is down.
 *
 * @param events publishes to the application's listeners
 */
record ApplicationEvents(ApplicationEventPublisher events) implements LockListener {

	@Override
	public void notAcquired(LockEvent event, Duration waited, Reason reason) {
		// an interrupt and a shutdown are no contention
		if (reason == Reason.CONTENDED || reason == Reason.CROWDED) {
			this.events.publishEvent(new LockContendedEvent(event, waited, reason));
		}
	}

	@Override
	public void releasedLate(LockEvent event, Duration held) {
		this.events.publishEvent(new LockLateReleaseEvent(event, held));
	}

	@Override
	public void lost(LockEvent event, Duration held, LockLostException loss) {
		this.events.publishEvent(new LockLostEvent(loss.getKey(), loss));
	}

	@Override
	public void outageBegan(String provider, Throwable failure) {
		this.events.publishEvent(new LockOutageEvent(provider, failure, null));
	}

	@Override
	public void outageEnded(String provider, Duration lasted) {
		this.events.publishEvent(new LockOutageEvent(provider, null, lasted));
	}

}
