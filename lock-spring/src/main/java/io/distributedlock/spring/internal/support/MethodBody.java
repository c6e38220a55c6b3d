package io.distributedlock.spring.internal.support;

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

}
