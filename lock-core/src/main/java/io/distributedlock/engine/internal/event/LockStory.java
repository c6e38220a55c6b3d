package io.distributedlock.engine.internal.event;

import java.time.Duration;
import java.util.Locale;

import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockInfo;
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

	static void tell(LockEvent.OfLock event) {
		LockInfo lock = event.lock();
		logger.debug("Lock '{}' of provider {}: {}", lock.key(), lock.provider(), step(event));
	}

	private static String step(LockEvent.OfLock event) {
		if (event instanceof LockEvent.Acquired acquired) {
			return after("acquired", acquired.waited());
		}
		if (event instanceof LockEvent.NotAcquired refused) {
			return after(refused.reason().name().toLowerCase(Locale.ROOT), refused.waited());
		}
		if (event instanceof LockEvent.Unavailable unavailable) {
			return after("unavailable", unavailable.waited());
		}
		if (event instanceof LockEvent.Renewed renewed) {
			return after("renewed", renewed.took());
		}
		if (event instanceof LockEvent.RenewalFailed failed) {
			return "not renewed, " + failed.left().toMillis() + " ms are left";
		}
		if (event instanceof LockEvent.Released released) {
			return after((released.took() != null) ? "released" : "passed on", released.held());
		}
		if (event instanceof LockEvent.ReleaseFailed failed) {
			return after("not released", failed.held());
		}
		if (event instanceof LockEvent.ReleasedLate late) {
			return after("released late", late.held());
		}
		if (event instanceof LockEvent.Lost lost) {
			return after("lost", lost.held());
		}
		return "waits";
	}

	private static String after(String step, Duration time) {
		return step + " after " + time.toMillis() + " ms";
	}

}
