package io.distributedlock.spring;

import io.distributedlock.LockHandle;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * Stands inside of the transaction that a locked method starts, where the lock advice
 * cannot see it, and has the lease checked before the commit.
 */
final class CommitCheckInterceptor implements MethodInterceptor {

	private static final String HELD = CommitCheckInterceptor.class.getName() + ".held";

	/**
	 * Note what the call holds.
	 */
	static void note(LockHandle handle, MethodInvocation call) {
		if (call instanceof ProxyMethodInvocation invocation) {
			invocation.setUserAttribute(HELD, handle);
		}
	}

	@Override
	public @Nullable Object invoke(MethodInvocation call) throws Throwable {
		if (call instanceof ProxyMethodInvocation invocation
				&& invocation.getUserAttribute(HELD) instanceof LockHandle handle) {
			TransactionLocks.verifyBeforeCommit(handle);
			return call.proceed();
		}
		Object result = call.proceed();
		return (result != null && OptionalLibraries.REACTOR) ? ReactiveCommitCheck.apply(result) : result;
	}

}
