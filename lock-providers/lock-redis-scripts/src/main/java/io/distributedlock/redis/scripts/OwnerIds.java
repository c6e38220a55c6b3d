package io.distributedlock.redis.scripts;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes names of owners: random bits of this object, a point, and a number. The name is
 * part of each command, so it is short. The random bits are drawn once, since that may
 * block. The number is the clock in microseconds, or the last number plus one if that is
 * higher: it tells JVMs apart that were restored from one checkpoint, or that drew the
 * same bits. Thread-safe.
 * <p>
 * Why: docs/decisions/017-owner-names-are-counted.md
 *
 * @since 0.1
 */
public final class OwnerIds {

	private static final int RANDOM_BYTES = 6;

	private final String jvm;

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
	 * @return the number, as it appears in a name
	 */
	public String nextNumber() {
		long micros = System.nanoTime() / 1000;
		return Long.toString(this.last.updateAndGet((before) -> Math.max(before + 1, micros)), Character.MAX_RADIX);
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
