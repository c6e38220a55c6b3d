package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.support.CommandLease;
import org.jspecify.annotations.Nullable;

/**
 * One owner that waits in a queue and asks at intervals. An answer may be lost or come
 * late, and the database may still execute a statement that was given up. So the next
 * question looks whether the lock was granted already, and this owner is removed again
 * when something comes after it has left or released.
 */
final class QueuedOwner implements CallThreads.Late<Long> {

	private final String name;

	private final Runnable removal;

	private volatile boolean joined;

	/**
	 * Whether a question has been answered that keeps the place in the queue.
	 */
	private volatile boolean stayed;

	/**
	 * When the last such question was sent.
	 */
	private volatile long stayedNanos;

	/**
	 * Whether it has left the queue since.
	 */
	private volatile boolean gone;

	private volatile @Nullable String first;

	private volatile long firstSinceNanos;

	private volatile boolean inDoubt;

	private volatile boolean over;

	/**
	 * Create an owner that has not asked yet.
	 * @param name the name of the owner
	 * @param removal removes it from the queue and from the key
	 */
	QueuedOwner(String name, Runnable removal) {
		this.name = name;
		this.removal = removal;
	}

	String name() {
		return this.name;
	}

	/**
	 * Return whether this owner may be in the queue.
	 */
	boolean isJoined() {
		return this.joined;
	}

	/**
	 * Note that from now on this owner may be in the queue.
	 */
	void joins() {
		this.joined = true;
	}

	/**
	 * Note that the key was granted and the place is not in the queue any more.
	 */
	void leftQueue() {
		this.gone = true;
	}

	/**
	 * Return whether this owner may still be in the queue although the key was granted.
	 */
	boolean isToLeaveQueue() {
		return this.joined && !this.gone;
	}

	/**
	 * Note that this owner is in the queue, for some time.
	 * @param sentAt when it said so
	 */
	void stays(long sentAt) {
		this.stayedNanos = sentAt;
		this.stayed = true;
	}

	/**
	 * Return whether this owner has been in the queue at some question.
	 */
	boolean isStaying() {
		return this.stayed;
	}

	/**
	 * Note which owner is the first in the queue.
	 */
	void sees(@Nullable String nowFirst) {
		if (this.name.equals(nowFirst) && !isFirst()) {
			this.firstSinceNanos = System.nanoTime();
		}
		this.first = nowFirst;
	}

	/**
	 * Return which owner was the first in the queue at the last question of this one.
	 */
	@Nullable String first() {
		return this.first;
	}

	/**
	 * Return whether this owner was the first in the queue at its last question.
	 */
	boolean isFirst() {
		return this.name.equals(this.first);
	}

	/**
	 * Return since when this owner is known to be the first.
	 */
	long firstSinceNanos() {
		return this.firstSinceNanos;
	}

	/**
	 * Return whether it is time to say that this owner stays in the queue.
	 * @param interval how often to say so
	 */
	boolean isStayDue(Duration interval) {
		return !this.stayed || System.nanoTime() - this.stayedNanos >= interval.toNanos();
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * Note that a question has ended for the caller.
	 */
	void answered(@Nullable Throwable failure) {
		if (failure != null) {
			this.inDoubt = true;
		}
		removeIfOver();
	}

	@Override
	public void succeeded(Long token) {
		removeIfOver();
	}

	@Override
	public void failed(Throwable failure) {
		removeIfOver();
	}

	/**
	 * Leave the queue.
	 */
	void leave() {
		this.over = true;
		this.removal.run();
	}

	/**
	 * Return a lease of this owner whose release also removes what a lost answer has
	 * left.
	 */
	CommandLease watched(CommandLease lease) {
		return lease.withEnding(() -> release(lease));
	}

	private CompletionStage<Boolean> release(CommandLease lease) {
		this.over = true;
		return lease.release().whenComplete((had, failure) -> {
			if (this.inDoubt) {
				this.removal.run();
			}
		});
	}

	/**
	 * Remove this owner again if it has left or released: a question that was under way
	 * then may have come after the removal.
	 */
	private void removeIfOver() {
		if (this.over) {
			this.removal.run();
		}
	}

}
