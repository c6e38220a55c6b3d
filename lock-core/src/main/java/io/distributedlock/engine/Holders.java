package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.distributedlock.LockType;

/**
 * Counts the re-entrant holders of one lease, and how many of them may write. If the
 * lease can become a reader's, it becomes one when the last holder leaves who may write.
 * From then on only readers enter.
 * <p>
 * Why: docs/decisions/003-re-entry-by-handle.md,
 * docs/decisions/011-downgrade-is-a-renewal.md
 */
final class Holders {

	private static final long HOLDER = 1;

	/**
	 * The upper half of the number counts the holders who may write.
	 */
	private static final long WRITER = 1L << Integer.SIZE;

	private static final AtomicLongFieldUpdater<Holders> COUNT = AtomicLongFieldUpdater.newUpdater(Holders.class,
			"count");

	private final boolean countsWriters;

	private volatile long count;

	/**
	 * Begin with one holder.
	 * @param type the lock type that it has
	 * @param countsWriters whether the lease can become a reader's
	 */
	Holders(LockType type, boolean countsWriters) {
		this.countsWriters = countsWriters;
		this.count = weightOf(type);
	}

	/**
	 * Count one more holder.
	 * @param type the lock type for which it enters
	 */
	Entry enter(LockType type) {
		long weight = weightOf(type);
		long before = COUNT.getAndUpdate(this, (now) -> admits(now, weight) ? now + weight : now);
		if (before == 0) {
			return Entry.ENDED;
		}
		return admits(before, weight) ? Entry.ENTERED : Entry.ONLY_READERS;
	}

	/**
	 * Count one holder less.
	 * @param type the lock type for which it entered
	 */
	Exit exit(LockType type) {
		long weight = weightOf(type);
		long before = COUNT.getAndUpdate(this, (now) -> (now == 0) ? 0 : now - weight);
		if (before == weight) {
			return Exit.LAST;
		}
		return (weight >= WRITER && before - weight > 0 && before - weight < WRITER) ? Exit.LAST_WRITER : Exit.OTHER;
	}

	/**
	 * Return how many holders there are.
	 */
	int size() {
		return (int) this.count;
	}

	boolean mayWrite() {
		return !this.countsWriters || this.count >= WRITER;
	}

	private long weightOf(LockType type) {
		return (this.countsWriters && type != LockType.READ) ? HOLDER + WRITER : HOLDER;
	}

	private static boolean admits(long count, long weight) {
		return count > 0 && (weight < WRITER || count >= WRITER);
	}

	/**
	 * Whether a holder has entered.
	 */
	enum Entry {

		/**
		 * It has entered.
		 */
		ENTERED,

		/**
		 * The last holder has left.
		 */
		ENDED,

		/**
		 * The last holder who may write has left.
		 */
		ONLY_READERS

	}

	/**
	 * What follows when a holder has left.
	 */
	enum Exit {

		/**
		 * The lease is released.
		 */
		LAST,

		/**
		 * The lease becomes a reader's.
		 */
		LAST_WRITER,

		/**
		 * Nothing.
		 */
		OTHER

	}

}
