package io.distributedlock.spring;

import io.distributedlock.LockContext;
import io.distributedlock.LockedCall;
import org.jspecify.annotations.Nullable;

/**
 * What runs when the locks are held, or instead.
 */
@FunctionalInterface
interface MethodBody {

	/**
	 * Run it.
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	@Nullable Object run() throws Throwable;

	/**
	 * Run it where it finds these locks.
	 */
	// the checker does not follow a nullable type argument into a functional interface
	@SuppressWarnings("NullAway")
	default @Nullable Object runWith(LockContext locks) throws Throwable {
		LockedCall<@Nullable Object, Throwable> call = this::run;
		return locks.call(call);
	}

}
