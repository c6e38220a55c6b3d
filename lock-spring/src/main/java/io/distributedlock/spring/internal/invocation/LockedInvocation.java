package io.distributedlock.spring.internal.invocation;

import java.util.function.BiFunction;

import io.distributedlock.spring.internal.returntype.AsynchronousTypes;
import io.distributedlock.spring.internal.returntype.ReturnType;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method under its locks and holds them for as long as the return type demands.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 */
public interface LockedInvocation {

	/**
	 * Run the method.
	 * @param call the call
	 * @return what the method returns, or a future or publisher that delivers it
	 * @throws Throwable what the method throws, or the failure to acquire the locks
	 */
	@Nullable Object invoke(AnnotatedCall call) throws Throwable;

	/**
	 * Return whether there is an empty value for a call that is skipped.
	 * @return whether calls may be skipped
	 */
	boolean canSkip();

	/**
	 * Return the empty value for a call that is skipped.
	 * @return the value
	 */
	@Nullable Object skipped();

	/**
	 * Return the invocation for a return type.
	 * @param type the return type
	 * @param mistake makes the exception for a type that cannot be locked, of what is
	 * wrong and what to do
	 * @return the invocation
	 */
	static LockedInvocation of(ReturnType type, BiFunction<String, String, ? extends RuntimeException> mistake) {
		LockedInvocation invocation = FutureInvocation.of(type);
		if (invocation == null && OptionalLibraries.REACTOR) {
			invocation = ReactiveInvocation.of(type);
		}
		if (invocation != null) {
			requireEnd(type, mistake);
			return invocation;
		}
		if (type.suspending() || AsynchronousTypes.contains(type.resolved())) {
			throw mistake.apply(
					"a method that returns %s continues after it has returned, but its lock would be released then"
						.formatted(type.resolved()),
					"Return CompletableFuture, Mono, Flux or another type that Spring's ReactiveAdapterRegistry knows, with reactor-core on the class path, or use LockTemplate inside the method");
		}
		return new BlockingInvocation(type);
	}

	/**
	 * Require that the value in a future, in a publisher or of a suspending function does
	 * not go on itself, since the lock is released when the value is delivered.
	 */
	private static void requireEnd(ReturnType type, BiFunction<String, String, ? extends RuntimeException> mistake) {
		if (type.mayBeUnboxed()) {
			throw mistake.apply(
					"a suspending function that returns %s, a value class, now and then gives its caller a ClassCastException behind a proxy of Spring"
						.formatted(type.resolved()),
					"Return what is inside the value, or a data class, or use LockTemplate inside the function");
		}
		if (!AsynchronousTypes.contains(type.delivered())) {
			return;
		}
		if (type.suspending()) {
			throw mistake.apply(
					"a suspending function that returns %s continues after it has returned, but its lock would be released then"
						.formatted(type.resolved()),
					"Return a Flow from a function that does not suspend, or collect it inside the function");
		}
		throw mistake.apply(
				"a method that returns %s delivers a value that continues after its lock is released: the lock is held until the outer future or publisher has ended"
					.formatted(type.resolved()),
				"Return only one of them, for example Flux instead of a Mono of a response of Flux, or use LockTemplate inside the method");
	}

}
