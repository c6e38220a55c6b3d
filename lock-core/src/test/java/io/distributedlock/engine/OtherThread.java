package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Calls that hold nothing of what the thread of the test holds.
 */
public final class OtherThread {

	private OtherThread() {
	}

	/**
	 * Make a call on another thread, and wait for what it returns.
	 */
	public static <T> T call(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call, (task) -> new Thread(task, "other").start()).join();
	}

}
