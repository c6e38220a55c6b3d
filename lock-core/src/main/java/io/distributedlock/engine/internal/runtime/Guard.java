package io.distributedlock.engine.internal.runtime;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the engine go on whatever a step throws.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 */
public final class Guard {

	private static final Logger logger = LoggerFactory.getLogger(Guard.class);

	private Guard() {
	}

	/**
	 * Run a step, and log what it throws.
	 * @param what the step, for the log
	 */
	public static void run(String what, Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			log(logger, "A step of the lock engine failed, and the engine goes on with the next: {}", what, ex);
		}
	}

	/**
	 * Log what code of others has thrown. It may throw again when it is to tell its
	 * message, and then is told by its type and its stack.
	 * @param argumentsAndFailure an argument for each place in the message, and the
	 * failure
	 */
	public static void log(Logger logger, String message, Object... argumentsAndFailure) {
		try {
			logger.error(message, argumentsAndFailure);
		}
		catch (Throwable ex) {
			Object[] printable = argumentsAndFailure.clone();
			int last = printable.length - 1;
			Throwable failure = (Throwable) printable[last];
			Throwable printed = new Throwable(failure.getClass().getName());
			printed.setStackTrace(failure.getStackTrace());
			printable[last] = printed;
			logger.error(message, printable);
		}
	}

}
