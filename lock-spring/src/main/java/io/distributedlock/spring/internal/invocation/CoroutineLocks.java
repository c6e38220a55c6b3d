package io.distributedlock.spring.internal.invocation;

import io.distributedlock.spring.internal.transaction.EnclosingLocks;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElementKt;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;

/**
 * Lets the coroutines of a locked method find its locks on any thread. A publisher that
 * they wait for gets a copy of the Reactor context, in which our own type of context is
 * lost; so its transactions are checked through the thread.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 */
final class CoroutineLocks {

	private CoroutineLocks() {
	}

	/**
	 * Put locks into the coroutine that calls a suspending function.
	 */
	static void putInto(@Nullable Object[] arguments, @Nullable EnclosingLocks enclosing) {
		int last = arguments.length - 1;
		if (enclosing != null && arguments[last] instanceof Continuation<?> caller) {
			arguments[last] = new Inside<>(caller, caller.getContext().plus(element(enclosing)));
		}
	}

	/**
	 * Put locks into the coroutines that produce the values of a flow.
	 */
	static Object putInto(Object flow, @Nullable EnclosingLocks enclosing) {
		return (enclosing != null) ? FlowKt.flowOn((Flow<?>) flow, element(enclosing)) : flow;
	}

	private static CoroutineContext element(EnclosingLocks enclosing) {
		return ThreadContextElementKt.asContextElement(EnclosingLocks.CURRENT, enclosing);
	}

	private record Inside<T>(Continuation<T> caller, CoroutineContext context) implements Continuation<T> {

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
