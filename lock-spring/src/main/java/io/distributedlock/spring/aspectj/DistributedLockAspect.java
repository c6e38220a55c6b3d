package io.distributedlock.spring.aspectj;

import java.util.concurrent.atomic.AtomicReference;

import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;

/**
 * Woven into annotated methods by the agent of aspectjweaver, as {@code META-INF/aop.xml}
 * says. It runs the same advice as the proxies do, and does nothing unless
 * {@code lock.mode} is {@code aspectj}. Not instantiated by applications.
 *
 * @since 0.1
 */
@Aspect
public final class DistributedLockAspect {

	private static final AtomicReference<@Nullable MethodInterceptor> ADVICE = new AtomicReference<>();

	/**
	 * Called by AspectJ.
	 */
	public DistributedLockAspect() {
	}

	/**
	 * Run this advice from now on. One application context of a JVM can do so at a time.
	 * @param advice what runs a method under its locks
	 * @throws IllegalStateException if another context does, or nothing is woven
	 */
	public static void use(MethodInterceptor advice) {
		if (!Aspects.hasAspect(DistributedLockAspect.class)) {
			throw new IllegalStateException(
					"lock.mode is aspectj, but nothing is woven: annotated methods would run without their locks. Start the JVM with -javaagent:aspectjweaver.jar, or set lock.mode=proxy");
		}
		if (!ADVICE.compareAndSet(null, advice)) {
			throw new IllegalStateException(
					"Another application context of this JVM has lock.mode=aspectj already: woven methods cannot tell the contexts apart");
		}
	}

	/**
	 * Run this advice no more.
	 * @param advice the advice that was in use; another one stays
	 */
	public static void forget(MethodInterceptor advice) {
		ADVICE.compareAndSet(advice, null);
	}

	/**
	 * Run a woven method.
	 * @param point the call
	 * @return what the method returns
	 * @throws Throwable what the method throws, or that the lock was not to be had
	 */
	@Around("(execution(@io.distributedlock.annotation.DistributedLock !static * *(..))"
			+ " || execution(@io.distributedlock.annotation.DistributedLocks !static * *(..))"
			+ " || execution(@(@io.distributedlock.annotation.DistributedLock *) !static * *(..))"
			+ " || execution(public !static * (@io.distributedlock.annotation.DistributedLock *).*(..))"
			+ " || execution(public !static * (@(@io.distributedlock.annotation.DistributedLock *) *).*(..)))"
			+ " && !within(io.distributedlock.annotation..*)")
	public @Nullable Object aroundLockedMethod(ProceedingJoinPoint point) throws Throwable {
		MethodInterceptor advice = ADVICE.get();
		return (advice != null) ? advice.invoke(new JoinPointInvocation(point)) : point.proceed();
	}

}
