package io.distributedlock.autoconfigure.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;

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
	public void lost(LockEvent event, Duration held, LockLostException loss) {
		// the listener is called later than the loss
		Instant at = Instant.now().minusNanos(Math.max(0, System.nanoTime() - event.atNanos()));
		this.losses.addLast(new Loss(event, at, held));
		while (this.losses.size() > MOST) {
			this.losses.pollFirst();
		}
	}

	/**
	 * Return the last losses, the latest first.
	 */
	List<Loss> latestFirst() {
		List<Loss> all = new ArrayList<>(this.losses);
		Collections.reverse(all);
		return all;
	}

	/**
	 * A loss.
	 *
	 * @param lock the lock
	 * @param at when it was lost
	 * @param held for how long it was held
	 */
	record Loss(LockEvent lock, Instant at, Duration held) {
	}

}
