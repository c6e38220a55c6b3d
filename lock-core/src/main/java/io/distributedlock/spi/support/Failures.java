package io.distributedlock.spi.support;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * What futures fail with. A future that follows another one wraps the failure of that in
 * a {@link CompletionException}, and {@link java.util.concurrent.Future#get()} wraps it
 * in an {@link ExecutionException}: neither says anything of its own. Thread-safe.
 *
 * @since 0.1
 */
public final class Failures {

	private Failures() {
	}

	/**
	 * Return the failure inside the wrappers of futures.
	 * @param failure what a future failed with
	 * @return the failure itself; the wrapper if it has no cause
	 */
	public static Throwable unwrap(Throwable failure) {
		Throwable unwrapped = failure;
		while ((unwrapped instanceof CompletionException || unwrapped instanceof ExecutionException)
				&& unwrapped.getCause() != null) {
			unwrapped = unwrapped.getCause();
		}
		return unwrapped;
	}

}
