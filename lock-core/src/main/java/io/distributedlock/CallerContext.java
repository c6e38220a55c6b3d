package io.distributedlock;

import java.util.function.UnaryOperator;

/**
 * Lets code that a template runs later, on another thread, see what its caller's thread
 * has: the MDC of the log, the security context, the trace. It applies to callbacks, to
 * asynchronous work, and to what depends on the futures of a template. Thread-safe.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 *
 * @since 0.1
 */
@FunctionalInterface
public interface CallerContext {

	/**
	 * Capture what the present thread has. Must not block.
	 * @return makes, from a task, one that runs it once with what was captured, on
	 * whatever thread, and restores that thread afterwards; may be applied several times
	 */
	UnaryOperator<Runnable> capture();

}
