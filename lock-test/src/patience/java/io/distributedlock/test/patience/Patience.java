package io.distributedlock.test.patience;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * How long a test waits for what must happen. A test that passes does not wait that long,
 * because each wait ends with its condition. The system property
 * {@code lock.test.patience} multiplies the limits, for a machine that is very slow.
 *
 * @since 0.1
 */
public final class Patience {

	private static final double FACTOR = Double.parseDouble(System.getProperty("lock.test.patience", "1"));

	/**
	 * The limit of every wait for something that must happen soon: a minute.
	 */
	public static final Duration LIMIT = stretched(Duration.ofMinutes(1));

	/**
	 * The same limit in seconds.
	 */
	public static final long SECONDS = LIMIT.toSeconds();

	private Patience() {
	}

	/**
	 * Wait for a condition, up to {@link #LIMIT}.
	 * @return the wait, to be described further
	 */
	public static ConditionFactory await() {
		return Awaitility.await().atMost(LIMIT);
	}

	/**
	 * Wait for a condition, up to {@link #LIMIT}.
	 * @param condition what is waited for, for the message of a failure
	 * @return the wait, to be described further
	 */
	public static ConditionFactory await(String condition) {
		return Awaitility.await(condition).atMost(LIMIT);
	}

	/**
	 * Return a limit that is part of what is tested, such as the time of a recovery.
	 * @param limit the limit on a machine of usual speed
	 * @return the limit on this machine
	 */
	public static Duration stretched(Duration limit) {
		return Duration.ofMillis((long) (limit.toMillis() * FACTOR));
	}

}
