package io.distributedlock;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a holder sends to a resource that the lock protects: key, lock type and fencing
 * token, as one string. The idea and the name are those of <a href=
 * "https://research.google/pubs/the-chubby-lock-service-for-loosely-coupled-distributed-systems/">Chubby</a>,
 * section 2.4. The resource reads it with {@link #parse(String)}, and asks a
 * {@link io.distributedlock.fencing.SequencerCheck} whether a later holder has been
 * there.
 *
 * @param key the full key of the lock
 * @param type the lock type
 * @param token the fencing token of the lease
 * @since 0.1
 */
public record Sequencer(String key, LockType type, long token) {

	private static final Pattern TEXT = Pattern.compile("(\\d{1,19}):([A-Z]+):(\\P{Cntrl}{1,255})");

	/**
	 * Read a sequencer.
	 * @param text a string that {@link #toString()} returned
	 * @return the sequencer
	 * @throws IllegalArgumentException if the text is no sequencer
	 */
	public static Sequencer parse(String text) {
		Matcher matcher = TEXT.matcher(text);
		if (!matcher.matches()) {
			throw new IllegalArgumentException(
					"'%s' is no sequencer of a lock: a sequencer has the form token:TYPE:key".formatted(text));
		}
		try {
			return new Sequencer(matcher.group(3), LockType.valueOf(matcher.group(2)),
					Long.parseLong(matcher.group(1)));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"The sequencer '%s' has an unknown lock type, or its token is too large".formatted(text), ex);
		}
	}

	/**
	 * Write the sequencer. It is printable ASCII without white space, unless the key is
	 * an {@linkplain LockRequest#ofExactKey(String) exact} one with other characters, or
	 * comes from a layout of the application.
	 * @return token, lock type and key, separated by colons
	 */
	@Override
	public String toString() {
		return this.token + ":" + this.type + ":" + this.key;
	}

}
