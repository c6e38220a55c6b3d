package io.distributedlock.spring.internal.invocation;

import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a call when others hold its lock for the whole wait time.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 */
@FunctionalInterface
public interface ContentionPolicy {

	/**
	 * The call fails with the exception.
	 */
	ContentionPolicy THROW = (contention, call) -> {
		throw contention;
	};

	/**
	 * End the call instead of the method.
	 * @param contention what happened
	 * @param call the call
	 * @return the result of the call, of the method's return type
	 * @throws Throwable what the call throws
	 */
	@Nullable Object end(LockNotAcquiredException contention, AnnotatedCall call) throws Throwable;

}
