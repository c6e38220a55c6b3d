package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockType;

/**
 * Counts the re-entrant holders of one lease, and which of them may write. Where the
 * lease can become that of a reader, it does so when the last one leaves who may write:
 * from then on only readers enter.
 */
final class Holders {

	private static final long HOLDER = 1;

	/**
	 * The upper half of the number counts those who may write.
	 */
	private static final long WRITER = 1L << Integer.SIZE;

	private final boolean countsWriters;

	private final AtomicLong count;

	/**
	 * Begin with one holder.
	 * @param type the kind of lock that it has
	 * @param countsWriters whether the lease can become that of a reader
	 */
	Holders(LockType type, boolean countsWriters) {
		this.countsWriters = countsWriters;
		this.count = new AtomicLong(weightOf(type));
	}

	/**
	 * Count one more.
	 * @param type what it enters for
	 */
	Entry enter(LockType type) {
		long weight = weightOf(type);
		long before = this.count.getAndUpdate((now) -> admits(now, weight) ? now + weight : now);
		if (before == 0) {
			return Entry.ENDED;
		}
		return admits(before, weight) ? Entry.ENTERED : Entry.ONLY_READERS;
	}

	/**
	 * Count one less.
	 * @param type what it entered for
	 */
	Exit exit(LockType type) {
		long weight = weightOf(type);
		long before = this.count.getAndUpdate((now) -> (now == 0) ? 0 : now - weight);
		if (before == weight) {
			return Exit.LAST;
		}
		return (weight >= WRITER && before - weight > 0 && before - weight < WRITER) ? Exit.LAST_WRITER : Exit.OTHER;
	}

	boolean mayWrite() {
		return !this.countsWriters || this.count.get() >= WRITER;
	}

	private long weightOf(LockType type) {
		return (this.countsWriters && type != LockType.READ) ? HOLDER + WRITER : HOLDER;
	}

	private static boolean admits(long count, long weight) {
		return count > 0 && (weight < WRITER || count >= WRITER);
	}

	/**
	 * What becomes of one who enters.
	 */
	enum Entry {

		/**
		 * It is counted.
		 */
		ENTERED,

		/**
		 * The last holder has left.
		 */
		ENDED,

		/**
		 * The last one has left who may write.
		 */
		ONLY_READERS

	}

	/**
	 * What has to be done when a holder leaves.
	 */
	enum Exit {

		/**
		 * The lease is released.
		 */
		LAST,

		/**
		 * The lease becomes that of a reader.
		 */
		LAST_WRITER,

		/**
		 * Nothing.
		 */
		OTHER

	}

}
