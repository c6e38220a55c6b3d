package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockedCall;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.KotlinDetector;

/**
 * Runs a method under a lock for as long as its return type means it to run.
 */
@FunctionalInterface
interface LockedInvocation {

	/**
	 * Run the method.
	 * @param template what gets and gives back the lock
	 * @param request the lock
	 * @param call the method
	 * @return what the method returns
	 * @throws Throwable what the method throws, or that the lock was not to be had
	 */
	@Nullable Object invoke(LockTemplate template, LockRequest request, MethodInvocation call) throws Throwable;

	/**
	 * Return what fits the return type of a method.
	 */
	static LockedInvocation of(Method method, Class<?> targetClass) {
		Class<?> type = method.getReturnType();
		if (type == CompletableFuture.class || type == CompletionStage.class) {
			return LockedInvocation::untilCompletion;
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type) || isPublisher(type)
				|| KotlinDetector.isSuspendingFunction(method)) {
			throw new InvalidLockOperationException(method, targetClass,
					"a method that returns %s goes on after it has returned, and its lock would not. Return CompletableFuture, or use LockTemplate inside"
						.formatted(type.getSimpleName()));
		}
		return LockedInvocation::untilReturn;
	}

	// the checker does not follow a nullable type argument into a functional interface
	@SuppressWarnings("NullAway")
	private static @Nullable Object untilReturn(LockTemplate template, LockRequest request, MethodInvocation call)
			throws Throwable {
		LockedCall<@Nullable Object, Throwable> work = call::proceed;
		return template.execute(request, work);
	}

	private static Object untilCompletion(LockTemplate template, LockRequest request, MethodInvocation call) {
		// the call goes on on another thread, while this one may reuse its invocation
		MethodInvocation clone = ((ProxyMethodInvocation) call).invocableClone();
		return template.executeAsync(request, () -> start(clone));
	}

	private static CompletionStage<?> start(MethodInvocation call) {
		try {
			Object stage = call.proceed();
			return (stage != null) ? (CompletionStage<?>) stage : CompletableFuture.completedFuture(null);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static boolean isPublisher(Class<?> type) {
		for (Class<?> current = type; current != null; current = current.getSuperclass()) {
			if (isNamedPublisher(current)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isNamedPublisher(Class<?> type) {
		String name = type.getName();
		if (name.equals("org.reactivestreams.Publisher") || name.equals("java.util.concurrent.Flow$Publisher")
				|| name.equals("kotlinx.coroutines.flow.Flow")) {
			return true;
		}
		for (Class<?> parent : type.getInterfaces()) {
			if (isNamedPublisher(parent)) {
				return true;
			}
		}
		return false;
	}

}
