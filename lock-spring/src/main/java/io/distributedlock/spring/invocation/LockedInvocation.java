package io.distributedlock.spring.invocation;

import java.util.List;
import java.util.function.Function;

import io.distributedlock.spring.returntype.AsynchronousTypes;
import io.distributedlock.spring.returntype.ReturnType;
import io.distributedlock.spring.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method under its locks for as long as its return type means it to run. Internal:
 * public only for the package that reads annotations.
 */
public interface LockedInvocation {

	/**
	 * What knows return types that outlive the method. A new one is added here.
	 */
	List<Factory> FACTORIES = OptionalLibraries.REACTOR ? List.of(FutureInvocation::of, ReactiveInvocation::of)
			: List.of(FutureInvocation::of);

	/**
	 * Run the method.
	 * @param call the call
	 * @return what the method returns, or what stands for it
	 * @throws Throwable what the method throws, or that the locks were not available
	 */
	@Nullable Object invoke(LockCall call) throws Throwable;

	/**
	 * Return whether there is a value for a call that was skipped.
	 * @return whether calls may be skipped
	 */
	boolean canSkip();

	/**
	 * Return the value for a call that was skipped.
	 * @return the value
	 */
	@Nullable Object skipped();

	/**
	 * Return what fits the return type of a method.
	 * @param type the return type
	 * @param mistake makes the exception for a type that cannot be locked
	 * @return the invocation
	 */
	static LockedInvocation of(ReturnType type, Function<String, ? extends RuntimeException> mistake) {
		for (Factory factory : FACTORIES) {
			LockedInvocation invocation = factory.create(type);
			if (invocation != null) {
				requireEnd(type, mistake);
				return invocation;
			}
		}
		if (type.suspending() || AsynchronousTypes.contains(type.resolved())) {
			throw mistake.apply(
					"a method that returns %s goes on after it has returned, and its lock would not. Return CompletableFuture, Mono, Flux or what Spring's ReactiveAdapterRegistry knows, with reactor-core on the class path, or use LockTemplate inside"
						.formatted(type.resolved()));
		}
		return new BlockingInvocation(type);
	}

	/**
	 * Require that nothing goes on when a future, a publisher or a suspending function
	 * has ended.
	 */
	private static void requireEnd(ReturnType type, Function<String, ? extends RuntimeException> mistake) {
		if (!AsynchronousTypes.contains(type.delivered())) {
			return;
		}
		String problem = type.suspending()
				? "a suspending function that gives %s goes on after it has returned, and its lock would not. Return a Flow from a function that does not suspend, or end it inside"
				: "what a method brings that returns %s goes on after the lock was given back: that is held to the end of the outer one only. Return one of them, as Flux and not Mono of a response of Flux, or use LockTemplate inside";
		throw mistake.apply(problem.formatted(type.resolved()));
	}

	/**
	 * Makes an invocation for the return types that it knows.
	 */
	@FunctionalInterface
	interface Factory {

		/**
		 * Return what fits a return type, {@code null} if it is not known.
		 * @param type the return type
		 * @return the invocation
		 */
		@Nullable LockedInvocation create(ReturnType type);

	}

}
