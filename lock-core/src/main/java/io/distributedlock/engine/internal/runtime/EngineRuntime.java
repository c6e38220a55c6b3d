package io.distributedlock.engine.internal.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * What the engine needs from the JVM: a clock, threads, waiting and random numbers. A
 * simulation replaces it, and runs the engine on one thread in virtual time.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md
 */
public interface EngineRuntime {

	/**
	 * Return the time, on the scale of {@link System#nanoTime()}.
	 */
	long nanoTime();

	/**
	 * Run a task later, on the one timer thread. The task must be short: it calls neither
	 * a provider nor code of the user.
	 * @param task the task
	 * @param delayNanos the delay; zero or less for none
	 */
	void schedule(Runnable task, long delayNanos);

	/**
	 * Run a task that may call a provider, on a thread of the engine. A task that blocks
	 * does not delay the others. Never throws.
	 */
	void execute(Runnable task);

	/**
	 * Run code of the user, on the user's executor if there is one. Neither the calling
	 * thread nor other tasks wait for it, whatever that executor does. Never throws.
	 */
	void callBack(Runnable task);

	/**
	 * Run code of the user that must not come late, such as what completes a future or
	 * hears of a loss. Never throws.
	 * @param late runs on a thread for code of the user if the user's executor has not
	 * begun the task soon, and may still begin it; {@code null} to run the task itself
	 * then, and once
	 */
	default void callBack(Runnable task, @Nullable Runnable late) {
		callBack(task);
	}

	/**
	 * Run code of the user, but not on the user's executor. Never throws.
	 */
	default void callBackNow(Runnable task) {
		callBack(task);
	}

	/**
	 * Return code of the user that a task will run which is given to {@link #callBack}
	 * now or later, possibly with other code. So a clock of tests knows what to wait for.
	 */
	default Runnable toCallBack(Runnable code) {
		return code;
	}

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
	 * Stop the timer thread. Tasks that {@link #execute} and {@link #callBack} have taken
	 * still run.
	 */
	void close();

}
