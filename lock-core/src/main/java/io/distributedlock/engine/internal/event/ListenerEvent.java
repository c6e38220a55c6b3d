package io.distributedlock.engine.internal.event;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;

/**
 * What listeners are told of. A listener that does not implement the method for it need
 * not be called, which saves a task on another thread for each lock.
 */
enum ListenerEvent {

	WAITING("waiting", LockEvent.class),

	ACQUIRED("acquired", LockEvent.class, Duration.class),

	NOT_ACQUIRED("notAcquired", LockEvent.class, Duration.class, Reason.class),

	UNAVAILABLE("unavailable", LockEvent.class, Duration.class, Throwable.class),

	RENEWED("renewed", LockEvent.class, Duration.class),

	RENEWAL_FAILED("renewalFailed", LockEvent.class, Duration.class, Throwable.class),

	RELEASE_ANSWERED("releaseAnswered", LockEvent.class, Duration.class),

	RELEASED("released", LockEvent.class, Duration.class),

	RELEASE_FAILED("releaseFailed", LockEvent.class, Duration.class, Throwable.class),

	RELEASED_LATE("releasedLate", LockEvent.class, Duration.class),

	LOST("lost", LockEvent.class, Duration.class, LockLostException.class),

	OUTAGE_BEGAN("outageBegan", String.class, Throwable.class),

	OUTAGE_ENDED("outageEnded", String.class, Duration.class);

	private final String method;

	// never changed
	@SuppressWarnings("ImmutableEnumChecker")
	private final Class<?>[] parameters;

	ListenerEvent(String method, Class<?>... parameters) {
		this.method = method;
		this.parameters = parameters;
	}

	/**
	 * Return the events for which a listener has code of its own. If it seems to have
	 * none at all, these are all events: a mock may get its behaviour in the bytecode of
	 * the interface.
	 */
	static Set<ListenerEvent> heardBy(LockListener listener) {
		EnumSet<ListenerEvent> heard = EnumSet.allOf(ListenerEvent.class);
		heard.removeIf((event) -> !event.isHeardBy(listener));
		return heard.isEmpty() ? EnumSet.allOf(ListenerEvent.class) : heard;
	}

	private boolean isHeardBy(LockListener listener) {
		try {
			return listener.getClass()
				.getMethod(this.method, this.parameters)
				.getDeclaringClass() != LockListener.class;
		}
		catch (NoSuchMethodException | SecurityException ex) {
			// a native image knows no methods by name unless it was told to
			return true;
		}
	}

}
