package io.distributedlock;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The checking side of {@link Sequencer sequencers}, for the resource that a lock guards:
 * it remembers the highest token that each key was used with, and refuses those that come
 * from an earlier holder. Thread-safe. Needs nothing but this class and no connection to
 * the lock's backend.
 * <p>
 * It remembers in memory, two numbers for each key that it has seen, and for as long as
 * it lives. A resource that must not forget when it is restarted, or that consists of
 * several processes, keeps the highest token beside its data instead and compares there.
 *
 * @since 0.1
 */
public final class SequencerCheck {

	private final ConcurrentHashMap<String, Seen> seen = new ConcurrentHashMap<>();

	/**
	 * Create a check that has seen nothing.
	 */
	public SequencerCheck() {
	}

	/**
	 * Return whether a request with this sequencer may be served, and remember it if so.
	 * A writer's is refused once anybody came with a higher token; a reader's once a
	 * writer did.
	 * @param sequencer what the holder has shown
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
