package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockContext;

/**
 * Calls that hold nothing of what the thread of the test holds.
 */
final class OtherThread {

	private OtherThread() {
	}

	/**
	 * Make a call on another thread, and wait for what it returns.
	 */
	static <T> T call(Supplier<T> call) {
		return CompletableFuture.supplyAsync(() -> {
			T result = call.get();
			LockContext.capture().handles().forEach(LockContext::detach);
			return result;
		}).join();
	}

}
