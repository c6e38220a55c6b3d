package io.distributedlock.spring.aspectj;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Woven into annotated methods by the agent of aspectjweaver, as {@code META-INF/aop.xml}
 * says. It runs the same advice as the proxies do, and does nothing unless
 * {@code lock.mode} is {@code aspectj}. Not instantiated by applications.
 *
 * @since 0.1
 */
@Aspect
public final class DistributedLockAspect {

	private static final Logger logger = LoggerFactory.getLogger(DistributedLockAspect.class);

	private static final String LOCK = "@(io.distributedlock.annotation.DistributedLock || io.distributedlock.annotation.DistributedLocks)";

	/**
	 * An annotation that carries one of the library's, as its own ones for one purpose
	 * do.
	 */
	private static final String COMPOSED = "@(" + LOCK + " *)";

	private static final String COMPOSED_TWICE = "@(" + COMPOSED + " *)";

	/**
	 * The advice of the contexts that are open, the newest first.
	 */
	private static final Deque<MethodInterceptor> ADVICE = new ConcurrentLinkedDeque<>();

	/**
	 * What counts when no context is open: the advice of the one that was closed last,
	 * which refuses calls, rather than let them run without their locks.
	 */
	private static volatile @Nullable MethodInterceptor closed;

	/**
	 * Called by AspectJ.
	 */
	public DistributedLockAspect() {
	}

	/**
	 * Run this advice from now on. A woven method does not know which application context
	 * its object belongs to: where several are open, as in a suite of tests, the newest
	 * one counts.
	 * @param advice what runs a method under its locks
	 * @throws IllegalStateException if nothing is woven
	 */
	public static void use(MethodInterceptor advice) {
		if (!Aspects.hasAspect(DistributedLockAspect.class)) {
			throw new IllegalStateException(
					"lock.mode is aspectj, but nothing is woven: annotated methods would run without their locks. Start the JVM with -javaagent:aspectjweaver.jar, or set lock.mode=proxy");
		}
		if (!ADVICE.isEmpty()) {
			logger.warn(
					"Several application contexts of this JVM have lock.mode=aspectj: woven methods take the locks of the newest");
		}
		ADVICE.addFirst(advice);
		closed = null;
	}

	/**
	 * Run this advice no more, but that of the context before it. If there is none, calls
	 * of woven methods are refused until another context is opened.
	 * @param advice the advice that was in use
	 */
	public static void forget(MethodInterceptor advice) {
		if (ADVICE.remove(advice) && ADVICE.isEmpty()) {
			closed = advice;
		}
	}

	/**
	 * Let woven methods run without locks if no context that uses this aspect is open: a
	 * context with proxies opens, which has beans of the same classes.
	 */
	public static void leaveToProxies() {
		closed = null;
	}

	/**
	 * Run a woven method.
	 * @param point the call
	 * @return what the method returns
	 * @throws Throwable what the method throws, or that the lock was not available
	 */
	@Around("(execution(" + LOCK + " !static * *(..)) || execution(" + COMPOSED + " !static * *(..)) || execution("
			+ COMPOSED_TWICE + " !static * *(..)) || execution(public !static * (" + LOCK
			+ " *).*(..)) || execution(public !static * (" + COMPOSED + " *).*(..)) || execution(public !static * ("
			+ COMPOSED_TWICE + " *).*(..)))"
			+ " && !within(java.lang.annotation.Annotation+) && !within(*..*$$SpringCGLIB$$*)")
	public @Nullable Object aroundLockedMethod(ProceedingJoinPoint point) throws Throwable {
		MethodInterceptor newest = ADVICE.peekFirst();
		MethodInterceptor advice = (newest != null) ? newest : closed;
		JoinPointInvocation call = new JoinPointInvocation(point);
		return (advice != null && !call.belongsToItsOverride()) ? advice.invoke(call) : point.proceed();
	}

}
