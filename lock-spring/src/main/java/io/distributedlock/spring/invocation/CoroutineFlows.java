package io.distributedlock.spring.invocation;

import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;

/**
 * Keeps Kotlin's promise that a flow goes on only when its collector is done with a
 * value. A flow that was made of a publisher fetches values ahead: it would have ended,
 * and its lock be given back, while the last ones are still worked on.
 */
final class CoroutineFlows {

	private static final String TYPE = "kotlinx.coroutines.flow.Flow";

	private static final int NO_BUFFER = 0;

	private CoroutineFlows() {
	}

	/**
	 * Return whether values of a type are flows. Works without Kotlin.
	 */
	static boolean areOf(Class<?> type) {
		return type.getName().equals(TYPE);
	}

	static Object withoutBuffer(Object flow) {
		return FlowKt.buffer((Flow<?>) flow, NO_BUFFER, BufferOverflow.SUSPEND);
	}

}
