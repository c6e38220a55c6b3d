package io.distributedlock.spring.invocation;

import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * What a call does when others hold its lock for the whole wait time. Internal: public
 * only for the package that reads annotations.
 */
@FunctionalInterface
public interface ContentionPolicy {

	/**
	 * The call ends with the exception.
	 */
	ContentionPolicy THROW = (contention, call) -> {
		throw contention;
	};

	/**
	 * End the call in the place of the method.
	 * @param contention what happened
	 * @param call the call
	 * @return what the call gives, of the method's return type
	 * @throws Throwable what the call throws
	 */
	@Nullable Object end(LockNotAcquiredException contention, LockCall call) throws Throwable;

}
