package io.distributedlock.engine.internal.runtime;

import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.slf4j.LoggerFactory;

/**
 * Lets the engine go on whatever a step throws.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 */
public final class Guard {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(Guard.class));

	private Guard() {
	}

	/**
	 * Run a step, and log what it throws.
	 * @param what the step, for the log: one of a few names
	 */
	public static void run(String what, Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			// a step that fails each time does not hide another one
			Failures.log(warnings::error,
					"A step of the lock engine failed, and the engine goes on with the next: " + what, ex);
		}
	}

}
