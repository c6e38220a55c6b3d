package io.distributedlock.spring.invocation;

import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;

/**
 * Keeps Kotlin's promise that a flow produces a value only when its collector has
 * finished the one before. A flow made from a publisher fetches values in advance: it
 * would have ended, and its lock be released, while the collector still works on the last
 * values.
 */
final class CoroutineFlows {

	private static final String TYPE = "kotlinx.coroutines.flow.Flow";

	private static final int NO_BUFFER = 0;

	private CoroutineFlows() {
	}

	/**
	 * Return whether a type is that of flows. Works without Kotlin on the class path.
	 */
	static boolean areOf(Class<?> type) {
		return type.getName().equals(TYPE);
	}

	static Object withoutBuffer(Object flow) {
		return FlowKt.buffer((Flow<?>) flow, NO_BUFFER, BufferOverflow.SUSPEND);
	}

}
