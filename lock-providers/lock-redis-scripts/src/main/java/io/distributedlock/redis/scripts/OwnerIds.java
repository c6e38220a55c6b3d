package io.distributedlock.redis.scripts;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes names of owners: random bits of this object, a point, and a number. The name is
 * part of each command, so it is short. The random bits are drawn once, since that may
 * block. The number is the age of this object in nanoseconds, or the last number plus one
 * if that is higher: it tells JVMs apart that were restored from one checkpoint, or that
 * drew the same bits. The clock itself would be a longer number. Thread-safe.
 *
 * @since 0.1
 */
public final class OwnerIds {

	private static final int RANDOM_BYTES = 5;

	private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

	private static final int BITS_PER_DIGIT = 6;

	private final String jvm;

	private final long createdAt = System.nanoTime();

	private final AtomicLong last = new AtomicLong();

	/**
	 * Create an object whose names differ from those of every other object.
	 */
	public OwnerIds() {
		byte[] random = new byte[RANDOM_BYTES];
		new SecureRandom().nextBytes(random);
		this.jvm = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
	}

	/**
	 * Return the first part of all names.
	 * @return letters, digits, hyphens and underscores
	 */
	public String jvm() {
		return this.jvm;
	}

	/**
	 * Return a new number.
	 * @return the number, as it appears in a name: letters, digits, hyphens and
	 * underscores
	 */
	public String nextNumber() {
		long now = System.nanoTime() - this.createdAt;
		long number = this.last.updateAndGet((before) -> Math.max(before + 1, now));
		int digits = (Long.SIZE - Long.numberOfLeadingZeros(number) + BITS_PER_DIGIT - 1) / BITS_PER_DIGIT;
		char[] text = new char[digits];
		for (int i = digits - 1; i >= 0; i--) {
			text[i] = DIGITS.charAt((int) number & (DIGITS.length() - 1));
			number >>>= BITS_PER_DIGIT;
		}
		return new String(text);
	}

	/**
	 * Return the name with a number.
	 * @param number the number
	 * @return the name
	 */
	public String owner(String number) {
		return this.jvm + '.' + number;
	}

}
