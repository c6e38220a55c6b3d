package io.distributedlock.spring.internal.support;

import io.distributedlock.LockContext;
import io.distributedlock.LockedCall;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs under locks, or instead of a method without its locks.
 */
@FunctionalInterface
public interface MethodBody {

	/**
	 * Run it.
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	@Nullable Object run() throws Throwable;

	/**
	 * Run it so that it finds the given locks.
	 * @param locks the locks
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	// the checker does not follow a nullable type argument into a functional interface
	@SuppressWarnings("NullAway")
	default @Nullable Object runWith(LockContext locks) throws Throwable {
		LockedCall<@Nullable Object, Throwable> call = this::run;
		return locks.call(call);
	}

}
