package io.distributedlock.spring.invocation;

import io.distributedlock.spring.transaction.RunningLocks;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElementKt;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;

/**
 * Has coroutines of a locked method find its locks on whatever thread they run. Where
 * they wait for a publisher, that gets a copy of the Reactor context, which our own type
 * of context does not survive.
 */
final class CoroutineLocks {

	private CoroutineLocks() {
	}

	/**
	 * Put locks into the coroutine that a suspending function is called with.
	 */
	static void putInto(@Nullable Object[] arguments, @Nullable RunningLocks running) {
		int last = arguments.length - 1;
		if (running != null && arguments[last] instanceof Continuation<?> caller) {
			arguments[last] = new Inside<>(caller, caller.getContext().plus(element(running)));
		}
	}

	/**
	 * Put locks into the coroutines that make the values of a flow.
	 */
	static Object putInto(Object flow, @Nullable RunningLocks running) {
		return (running != null) ? FlowKt.flowOn((Flow<?>) flow, element(running)) : flow;
	}

	private static CoroutineContext element(RunningLocks running) {
		return ThreadContextElementKt.asContextElement(RunningLocks.CURRENT, running);
	}

	private static final class Inside<T> implements Continuation<T> {

		private final Continuation<T> caller;

		private final CoroutineContext context;

		private Inside(Continuation<T> caller, CoroutineContext context) {
			this.caller = caller;
			this.context = context;
		}

		@Override
		public CoroutineContext getContext() {
			return this.context;
		}

		@Override
		public void resumeWith(Object result) {
			this.caller.resumeWith(result);
		}

	}

}
