package io.distributedlock.fencing;

import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockType;
import io.distributedlock.Sequencer;

/**
 * Checks {@link Sequencer sequencers} for a resource that a lock protects: it remembers
 * the highest token of each key, and refuses sequencers of earlier holders. Thread-safe.
 * It needs no connection to the lock's backend.
 * <p>
 * It keeps two numbers in memory for each key that it has seen, until this object is
 * garbage-collected. A resource that must remember tokens after a restart, or that
 * consists of several processes, stores the highest token beside its data instead, and
 * compares it there.
 *
 * @since 0.1
 */
public final class SequencerCheck {

	private final ConcurrentHashMap<String, Seen> seen = new ConcurrentHashMap<>();

	/**
	 * Create a check that has seen no sequencer.
	 */
	public SequencerCheck() {
	}

	/**
	 * Return whether a request with this sequencer may be served, and remember its token
	 * if so. A writer's sequencer is refused if any higher token was seen; a reader's, if
	 * a writer's higher token was seen.
	 * @param sequencer the sequencer of the request
	 * @return {@code false} if a later holder has been here
	 */
	public boolean accept(Sequencer sequencer) {
		boolean reader = sequencer.type() == LockType.READ;
		long token = sequencer.token();
		boolean[] accepted = new boolean[1];
		this.seen.compute(sequencer.key(), (key, before) -> {
			Seen current = (before != null) ? before : Seen.NOTHING;
			accepted[0] = token >= (reader ? current.writer : Math.max(current.writer, current.reader));
			if (!accepted[0]) {
				return current;
			}
			return reader ? new Seen(current.writer, Math.max(current.reader, token)) : new Seen(token, current.reader);
		});
		return accepted[0];
	}

	/**
	 * The highest tokens of a key.
	 */
	private record Seen(long writer, long reader) {

		private static final Seen NOTHING = new Seen(0, 0);

	}

}
