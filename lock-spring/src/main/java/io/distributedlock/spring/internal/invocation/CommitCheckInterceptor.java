package io.distributedlock.spring.internal.invocation;

import io.distributedlock.spring.internal.support.OptionalLibraries;
import io.distributedlock.spring.internal.transaction.CallLocks;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * Runs inside of a transaction that a locked method itself starts, which the advice for
 * locks cannot see from outside. The locks of such a method are released when it ends,
 * and checked before the commit of that transaction.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 */
public final class CommitCheckInterceptor implements MethodInterceptor {

	private static final String HELD = CommitCheckInterceptor.class.getName() + ".held";

	private static final Object NOTHING = new Object();

	/**
	 * Create the advice, which has no state.
	 */
	public CommitCheckInterceptor() {
	}

	/**
	 * Note the locks that the call holds, and what code on this thread finds of locks.
	 */
	static void note(CallLocks locks, MethodInvocation call) {
		((ProxyMethodInvocation) call).setUserAttribute(HELD,
				new Held(locks, LockScope.onThread(), Thread.currentThread()));
	}

	/**
	 * Note that the call runs without locks. The locks that a reactive call finds in its
	 * context belong to the method around it.
	 * @param call the call
	 */
	public static void noteNone(MethodInvocation call) {
		((ProxyMethodInvocation) call).setUserAttribute(HELD, NOTHING);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation call) throws Throwable {
		Object noted = ((ProxyMethodInvocation) call).getUserAttribute(HELD);
		if (noted instanceof Held held) {
			held.locks.checkOwnTransaction();
			return (held.thread == Thread.currentThread()) ? call.proceed() : held.scope.call(call::proceed);
		}
		Object result = call.proceed();
		return (noted == null && result != null && OptionalLibraries.REACTOR) ? ReactiveCommitCheck.apply(result)
				: result;
	}

	/**
	 * What a call holds.
	 *
	 * @param locks its locks
	 * @param scope what its method finds, also if other advice runs it on another thread
	 * @param thread the thread that acquired the locks
	 */
	private record Held(CallLocks locks, LockScope scope, Thread thread) {

	}

}
