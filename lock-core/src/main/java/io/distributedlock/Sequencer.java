package io.distributedlock;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a holder shows to a resource that the lock guards: which lock it holds, in which
 * way, and its fencing token, as one string. The idea and the name are those of <a href=
 * "https://research.google/pubs/the-chubby-lock-service-for-loosely-coupled-distributed-systems/">Chubby</a>,
 * section 2.4. The resource reads it with {@link #parse(String)} and asks a
 * {@link SequencerCheck} whether it is still to be believed.
 *
 * @param key the full key of the lock
 * @param type how it is held
 * @param token the fencing token of the lease
 * @since 0.1
 */
public record Sequencer(String key, LockType type, long token) {

	private static final Pattern TEXT = Pattern.compile("(\\d{1,19}):([A-Z]+):(\\S{1,255})");

	/**
	 * Read a sequencer.
	 * @param text what {@link #toString()} has written
	 * @return the sequencer
	 * @throws IllegalArgumentException if the text is none
	 */
	public static Sequencer parse(String text) {
		Matcher matcher = TEXT.matcher(text);
		if (!matcher.matches()) {
			throw new IllegalArgumentException(
					"This is no sequencer of a lock, which is written as token:TYPE:key: '%s'".formatted(text));
		}
		try {
			return new Sequencer(matcher.group(3), LockType.valueOf(matcher.group(2)),
					Long.parseLong(matcher.group(1)));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"The sequencer '%s' names an unknown type of lock, or its token is too large".formatted(text), ex);
		}
	}

	/**
	 * Write the sequencer as printable ASCII without white space.
	 * @return token, type and key, with colons between
	 */
	@Override
	public String toString() {
		return this.token + ":" + this.type + ":" + this.key;
	}

}
