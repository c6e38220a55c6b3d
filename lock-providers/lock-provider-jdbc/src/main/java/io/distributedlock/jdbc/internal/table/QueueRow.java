package io.distributedlock.jdbc.internal.table;

import org.jspecify.annotations.Nullable;

/**
 * One row of this JVM in the queue of a key: a place, whichever call it is for. An answer
 * may be lost or come late, and the database may still execute a statement that was given
 * up. So the next question about this row looks whether the lock was granted already, and
 * its owner is removed again when something comes after it has gone.
 */
final class QueueRow {

	private final String name;

	private final Runnable removal;

	private volatile boolean joined;

	private volatile boolean stayed;

	private volatile boolean leftQueue;

	private volatile boolean inDoubt;

	private volatile boolean over;

	/**
	 * Create a row about which the database has not been asked yet.
	 * @param name the name of the owner who gets the key by this row
	 * @param removal removes the owner from the queue and from the key
	 */
	QueueRow(String name, Runnable removal) {
		this.name = name;
		this.removal = removal;
	}

	String name() {
		return this.name;
	}

	/**
	 * Return whether the queue may have this row.
	 */
	boolean isJoined() {
		return this.joined;
	}

	/**
	 * Note that from now on the queue may have this row.
	 */
	void joins() {
		this.joined = true;
	}

	/**
	 * Return whether the database has said that the queue has this row.
	 */
	boolean isStaying() {
		return this.stayed;
	}

	void stays() {
		this.stayed = true;
	}

	/**
	 * Note that the key was granted and the row is not in the queue any more.
	 */
	void leftQueue() {
		this.leftQueue = true;
	}

	/**
	 * Return whether the queue may still have this row although the key was granted.
	 */
	boolean isToLeaveQueue() {
		return this.joined && !this.leftQueue;
	}

	/**
	 * Note that a question about this row has failed, and may be executed yet.
	 */
	void isInDoubt() {
		this.inDoubt = true;
	}

	/**
	 * Note that nobody asks about this row any more.
	 * @param failure why it could not be removed, {@code null} if it was removed
	 */
	void ended(@Nullable Throwable failure) {
		this.over = true;
		if (this.inDoubt || failure != null) {
			this.removal.run();
		}
	}

	/**
	 * Return whether nobody asks about this row any more.
	 */
	boolean isOver() {
		return this.over;
	}

	/**
	 * Note that a question about this row has ended after its caller has stopped waiting.
	 */
	void isLate() {
		// the question may have been sent after its caller was told that it was not
		this.inDoubt = true;
		if (this.over) {
			this.removal.run();
		}
	}

}
