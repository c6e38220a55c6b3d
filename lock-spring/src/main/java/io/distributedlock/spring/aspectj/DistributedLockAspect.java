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
 * The aspect that the agent of aspectjweaver weaves into annotated methods, as
 * {@code META-INF/aop.xml} says. It runs the same advice as the proxies, and only if
 * {@code lock.mode} is {@code aspectj}. AspectJ creates it; applications do not.
 * <p>
 * Why: docs/decisions/021-advice-by-post-processor.md
 *
 * @since 0.1
 */
@Aspect
public final class DistributedLockAspect {

	private static final Logger logger = LoggerFactory.getLogger(DistributedLockAspect.class);

	private static final String LOCK = "@(io.distributedlock.annotation.DistributedLock || io.distributedlock.annotation.DistributedLocks)";

	/**
	 * An annotation that carries one of the above, such as {@code @ScheduledLock}.
	 */
	private static final String COMPOSED = "@(" + LOCK + " *)";

	private static final String COMPOSED_TWICE = "@(" + COMPOSED + " *)";

	/**
	 * The advice of the open application contexts, the newest first.
	 */
	private static final Deque<MethodInterceptor> ADVICE = new ConcurrentLinkedDeque<>();

	/**
	 * The advice that is used when no context is open: that of the context that was
	 * closed last. It refuses calls, since they would run without their locks otherwise.
	 */
	private static volatile @Nullable MethodInterceptor closed;

	/**
	 * Called by AspectJ.
	 */
	public DistributedLockAspect() {
	}

	/**
	 * Return whether the agent runs and has found this aspect.
	 * @return {@code false} if annotated methods run without their locks
	 */
	public static boolean isWoven() {
		return Aspects.hasAspect(DistributedLockAspect.class);
	}

	/**
	 * Use the advice of an application context from now on. A woven method does not know
	 * which application context its object belongs to: if several are open, as in a test
	 * suite, the advice of the newest is used.
	 * @param advice what runs a method under its locks
	 */
	public static void use(MethodInterceptor advice) {
		if (!ADVICE.isEmpty()) {
			logger.warn(
					"Several application contexts in this JVM have lock.mode=aspectj: woven methods use the lock template of the newest. Close the others if that is not intended");
		}
		ADVICE.addFirst(advice);
		closed = null;
	}

	/**
	 * Stop using the advice of a context that is closed, and use that of the newest open
	 * one. If no context is open, calls of woven methods are refused until another one
	 * opens.
	 * @param advice the advice of the closed context
	 */
	public static void forget(MethodInterceptor advice) {
		if (ADVICE.remove(advice) && ADVICE.isEmpty()) {
			closed = advice;
		}
	}

	/**
	 * Let woven methods run without locks if no context that uses this aspect is open.
	 * Called when a context with proxies opens: its beans have the same classes, and
	 * their proxies take the locks.
	 */
	public static void leaveToProxies() {
		closed = null;
	}

	/**
	 * Run a woven method.
	 * @param point the call
	 * @return what the method returns
	 * @throws Throwable what the method throws, or the failure to acquire the lock
	 */
	@Around("(execution(" + LOCK + " !static * *(..)) || execution(" + COMPOSED + " !static * *(..)) || execution("
			+ COMPOSED_TWICE + " !static * *(..)) || execution(public !static * (" + LOCK
			+ " *).*(..)) || execution(public !static * (" + COMPOSED + " *).*(..)) || execution(public !static * ("
			+ COMPOSED_TWICE + " *).*(..)))"
			+ " && !within(java.lang.annotation.Annotation+) && !within(*..*$$SpringCGLIB$$*)")
	public @Nullable Object aroundLockedMethod(ProceedingJoinPoint point) throws Throwable {
		MethodInterceptor newest = ADVICE.peekFirst();
		MethodInterceptor advice = (newest != null) ? newest : closed;
		if (advice == null) {
			return point.proceed();
		}
		JoinPointInvocation call = new JoinPointInvocation(point);
		return call.belongsToItsOverride() ? point.proceed() : advice.invoke(call);
	}

}
