package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * What the engine takes from the JVM: time, threads, waiting and chance. It is given to
 * the engine, so that a simulation can run it on one thread in virtual time.
 */
interface EngineRuntime {

	/**
	 * Return the time, on the scale of {@link System#nanoTime()}.
	 */
	long nanoTime();

	/**
	 * Run a task later, on the one timer thread. Such a task is short: it calls neither
	 * providers nor users.
	 * @param task the task
	 * @param delayNanos when to run it, from now; zero or less for at once
	 */
	void schedule(Runnable task, long delayNanos);

	/**
	 * Run a task that may call a provider, on a thread of the engine. A task that blocks
	 * keeps none of the others from running. Never throws.
	 */
	void execute(Runnable task);

	/**
	 * Run code of the user, on the executor of the user if there is one. Neither the
	 * calling thread nor other tasks wait for it, whatever that executor does. Never
	 * throws.
	 */
	void callBack(Runnable task);

	/**
	 * Block the calling thread until a future is done.
	 */
	<T extends @Nullable Object> T await(CompletableFuture<T> future, long timeoutNanos)
			throws InterruptedException, ExecutionException, TimeoutException;

	/**
	 * Return a random number from zero to the bound, which is excluded.
	 */
	long random(long bound);

	/**
	 * Run no more timers. What {@link #execute} and {@link #callBack} have taken still
	 * runs.
	 */
	void close();

}
