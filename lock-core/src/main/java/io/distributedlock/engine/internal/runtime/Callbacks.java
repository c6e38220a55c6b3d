package io.distributedlock.engine.internal.runtime;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

import io.distributedlock.CallerContext;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Runs code of the user later, with the context of the thread that asked for it.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 *
 * @param runtime has the threads
 * @param context captures the context, {@code null} if there is none
 */
public record Callbacks(EngineRuntime runtime, @Nullable CallerContext context) {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(Callbacks.class));

	/**
	 * Capture the context of this thread.
	 * @return runs code for it
	 */
	public ForCaller capture() {
		CallerContext known = this.context;
		UnaryOperator<Runnable> captured = null;
		try {
			captured = (known != null) ? known.capture() : null;
		}
		catch (Throwable ex) {
			Failures.log(warnings::error, "The context of a caller could not be captured; its callbacks run without it",
					ex);
		}
		return new ForCaller(this.runtime, captured);
	}

	/**
	 * Runs code for one caller.
	 *
	 * @param runtime has the threads
	 * @param captured the context of the caller, {@code null} if there is none
	 */
	public record ForCaller(EngineRuntime runtime, @Nullable UnaryOperator<Runnable> captured) {

		/**
		 * Run a task on a thread for code of the user, soon also if the user's executor
		 * is busy. A context that does not run it costs the task its context, and nothing
		 * else.
		 */
		public void run(Runnable task) {
			run(task, null);
		}

		/**
		 * Run a task on the user's executor.
		 * @param late runs on another thread for code of the user if the executor is busy
		 */
		public void run(Runnable task, @Nullable Runnable late) {
			this.runtime.callBack(inContext(task), late);
		}

		/**
		 * Run a task on a thread for code of the user, but not on the user's executor.
		 */
		public void runNow(Runnable task) {
			this.runtime.callBackNow(inContext(task));
		}

		private Runnable inContext(Runnable task) {
			UnaryOperator<Runnable> context = this.captured;
			return (context != null) ? () -> runIn(context, task) : task;
		}

	}

	private static void runIn(UnaryOperator<Runnable> context, Runnable task) {
		AtomicBoolean begun = new AtomicBoolean();
		Runnable once = () -> {
			if (begun.compareAndSet(false, true)) {
				task.run();
			}
		};
		try {
			context.apply(once).run();
		}
		catch (Throwable ex) {
			// it may also have failed after the callback
			Failures.log(warnings::error,
					"The context of a caller failed; a callback that has not begun runs without it", ex);
		}
		once.run();
	}

}
