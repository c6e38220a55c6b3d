package io.distributedlock.spring;

import java.util.function.Supplier;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.spring.internal.invocation.AnnotatedCall;
import io.distributedlock.spring.internal.invocation.CommitCheckInterceptor;
import io.distributedlock.spring.internal.operation.LockOperation;
import io.distributedlock.spring.internal.operation.LockOperationSource;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Runs a method under the locks that its annotations ask for. It has no logic of its own:
 * the operation source knows the annotations, the template the locks, and the invocation
 * the return type.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 *
 * @param operations what the annotations ask for
 * @param template gives the template
 */
record DistributedLockInterceptor(LockOperationSource operations,
		Supplier<LockTemplate> template) implements MethodInterceptor {

	@Override
	public @Nullable Object invoke(MethodInvocation call) throws Throwable {
		Object target = AnnotatedCall.targetOf(call);
		LockOperation operation = this.operations.find(call.getMethod(), AopUtils.getTargetClass(target));
		LockRequest request = (operation != null) ? operation.request(call, target) : null;
		if (operation == null || request == null) {
			if (OptionalLibraries.TRANSACTIONS) {
				CommitCheckInterceptor.noteNone(call);
			}
			return call.proceed();
		}
		return operation.invocation().invoke(new AnnotatedCall(this.template.get(), operation.rules(), request, call));
	}

}
