package io.distributedlock.annotation;

import io.distributedlock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to a call when others hold its lock for the whole wait time, or
 * too many calls wait for it already. It is declared as a bean and named by
 * {@code @DistributedLock(handler = "…")}. Several threads may call it at the same time,
 * so it must be thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockContentionHandler {

	/**
	 * Handle a call instead of its method.
	 * @param call the call. Do not call {@code proceed()} on it: the method would run
	 * without the lock
	 * @param contention what happened, with key, provider and wait time
	 * @return the result of the call, of the method's return type
	 * @throws Throwable the failure of the call
	 */
	@Nullable Object handle(MethodInvocation call, LockNotAcquiredException contention) throws Throwable;

}
