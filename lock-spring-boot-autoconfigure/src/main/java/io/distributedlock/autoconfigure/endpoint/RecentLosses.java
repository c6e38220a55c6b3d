package io.distributedlock.autoconfigure.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;

import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockInfo;
import io.distributedlock.event.LockListener;

/**
 * Remembers the last losses of this node.
 */
final class RecentLosses implements LockListener {

	/**
	 * Enough for an incident, and little memory.
	 */
	static final int MOST = 50;

	private final ConcurrentLinkedDeque<Loss> losses = new ConcurrentLinkedDeque<>();

	@Override
	public Set<Class<? extends LockEvent>> kinds() {
		return Set.of(LockEvent.Lost.class);
	}

	@Override
	public void on(LockEvent event) {
		if (event instanceof LockEvent.Lost loss) {
			// the listener is called later than the loss
			Instant at = Instant.now().minusNanos(Math.max(0, System.nanoTime() - loss.atNanos()));
			this.losses.addFirst(new Loss(loss.lock(), at, loss.held()));
			while (this.losses.size() > MOST) {
				this.losses.pollLast();
			}
		}
	}

	/**
	 * Return the last losses, the latest first.
	 */
	List<Loss> latestFirst() {
		return List.copyOf(this.losses);
	}

	/**
	 * A loss.
	 *
	 * @param lock the lock
	 * @param at when it was lost
	 * @param held for how long it was held
	 */
	record Loss(LockInfo lock, Instant at, Duration held) {
	}

}
