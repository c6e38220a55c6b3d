package io.distributedlock.spring;

import io.distributedlock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of calls whose lock others hold for the whole wait time. Declared
 * as a bean and named by {@code @DistributedLock(handler = "…")}. Thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockContentionHandler {

	/**
	 * End a call in the place of its method.
	 * @param call the call, whose method must not be proceeded to: it would run without
	 * the lock
	 * @param contention what happened, with key, provider and wait time
	 * @return what the call gives, of the method's return type
	 * @throws Throwable what the call throws
	 */
	@Nullable Object handle(MethodInvocation call, LockNotAcquiredException contention) throws Throwable;

}
