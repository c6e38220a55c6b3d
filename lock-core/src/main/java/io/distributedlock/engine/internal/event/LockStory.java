package io.distributedlock.engine.internal.event;

import java.time.Duration;

import io.distributedlock.engine.internal.request.LockAttempt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the story of each lock in the log, a line for each step, at the level DEBUG.
 */
final class LockStory {

	private static final Logger logger = LoggerFactory.getLogger(LockStory.class);

	private LockStory() {
	}

	/**
	 * Return whether anybody reads the story.
	 */
	static boolean isTold() {
		return logger.isDebugEnabled();
	}

	/**
	 * Tell what happened to a lock, and how long something took.
	 * @param step what happened
	 * @param time how long the caller waited, the holder held, or the request took
	 */
	static void tell(LockAttempt attempt, String step, Duration time) {
		logger.debug("Lock '{}' of provider {}: {} after {} ms", attempt.key(), attempt.provider().name(), step,
				time.toMillis());
	}

	/**
	 * Tell what happened to a lock.
	 */
	static void tell(LockAttempt attempt, String step) {
		logger.debug("Lock '{}' of provider {}: {}", attempt.key(), attempt.provider().name(), step);
	}

}
