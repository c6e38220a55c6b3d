package io.distributedlock.spring.internal.invocation;

import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.ContinuationInterceptor;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowCollector;
import kotlinx.coroutines.flow.FlowKt;
import kotlinx.coroutines.reactor.ReactorContext;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Keeps Kotlin's promise that a flow produces a value only when its collector has
 * finished the one before. A flow made from a publisher fetches values in advance: it
 * would have ended, and its lock be released, while the collector still works on the last
 * values.
 */
final class CoroutineFlows {

	private static final String TYPE = "kotlinx.coroutines.flow.Flow";

	private static final int NO_BUFFER = 0;

	private static final Object COLLECTOR = CoroutineFlows.class;

	private CoroutineFlows() {
	}

	/**
	 * Return whether a type is that of flows. Works without Kotlin on the class path.
	 */
	static boolean areOf(Class<?> type) {
		return type.getName().equals(TYPE);
	}

	/**
	 * Return the flow that a locked method returns to its caller.
	 */
	static Object toCaller(Object flow) {
		return new ToCaller<>(FlowKt.buffer((Flow<?>) flow, NO_BUFFER, BufferOverflow.SUSPEND));
	}

	/**
	 * Let the code of a flow find the context of its collector, as in any flow.
	 */
	static Object inContextOfCollector(Object flow, ContextView context) {
		CoroutineContext collector = context.getOrDefault(COLLECTOR, null);
		return (collector != null) ? FlowKt.flowOn((Flow<?>) flow, collector) : flow;
	}

	/**
	 * Hands the context of its collector on, which is lost where a flow is made from a
	 * publisher. The job and the Reactor context take part in the chain themselves; a
	 * dispatcher would need a buffer.
	 *
	 * @param flow the flow
	 * @param <T> the type of the values
	 */
	private record ToCaller<T>(Flow<T> flow) implements Flow<T> {

		@Override
		public @Nullable Object collect(FlowCollector<? super T> collector, Continuation<? super Unit> continuation) {
			CoroutineContext context = continuation.getContext();
			ReactorContext reactor = context.get(ReactorContext.Key);
			Context chain = (reactor != null) ? reactor.getContext() : Context.empty();
			CoroutineContext kept = context.minusKey(Job.Key)
				.minusKey(ContinuationInterceptor.Key)
				.minusKey(ReactorContext.Key);
			return FlowKt.flowOn(this.flow, new ReactorContext(chain.put(COLLECTOR, kept)))
				.collect(collector, continuation);
		}

	}

}
