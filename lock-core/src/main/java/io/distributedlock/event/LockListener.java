package io.distributedlock.event;

import java.util.Set;
import java.util.function.Consumer;

/**
 * Is told what happens to the locks of a template in this JVM. For meters, logs and
 * alerts: a listener changes nothing, and what it throws is logged and harms no call.
 * <p>
 * It is called on a thread for callbacks (the executor of the template if it has one),
 * some time after the event: for losses and outages one after the other, and meanwhile
 * for other events one after the other. So it must be thread-safe, and one that blocks
 * takes two threads and delays its own events only. {@link LockEvent#atNanos()} says the
 * exact order. If thousands of events wait for a listener, further ones are dropped and a
 * warning is logged; a loss and an outage are never dropped.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Something happened.
	 * @param event what happened, of one of the {@link #kinds()}
	 */
	void on(LockEvent event);

	/**
	 * Return what this listener wants to be told of. Asked once. Each event for which
	 * there is a listener costs work on another thread, so few kinds are cheaper.
	 * @return the kinds of events, all by default
	 */
	default Set<Class<? extends LockEvent>> kinds() {
		return Set.of(LockEvent.class);
	}

	/**
	 * Create a listener for one kind of events.
	 * @param <E> the kind
	 * @param kind the kind, such as {@code LockEvent.Lost.class}
	 * @param action what to do with each event
	 * @return the listener
	 */
	static <E extends LockEvent> LockListener of(Class<E> kind, Consumer<? super E> action) {
		return new LockListener() {

			@Override
			public void on(LockEvent event) {
				action.accept(kind.cast(event));
			}

			@Override
			public Set<Class<? extends LockEvent>> kinds() {
				return Set.of(kind);
			}

			@Override
			public String toString() {
				return action.toString();
			}

		};
	}

}
