package io.distributedlock.engine.internal.runtime;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

import io.distributedlock.CallerContext;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs code of the user later, with the context of the thread that asked for it.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 */
public final class Callbacks {

	private static final Logger logger = LoggerFactory.getLogger(Callbacks.class);

	private final EngineRuntime runtime;

	private final @Nullable CallerContext context;

	private final ForCaller withoutContext = new ForCaller(null);

	public Callbacks(EngineRuntime runtime, @Nullable CallerContext context) {
		this.runtime = runtime;
		this.context = context;
	}

	/**
	 * Capture the context of this thread.
	 * @return runs code for it
	 */
	public ForCaller capture() {
		CallerContext known = this.context;
		if (known == null) {
			return this.withoutContext;
		}
		try {
			return new ForCaller(known.capture());
		}
		catch (Throwable ex) {
			Failures.log(logger::error, "The context of a caller could not be captured; its callbacks run without it",
					ex);
			return this.withoutContext;
		}
	}

	/**
	 * Runs code for one caller.
	 */
	public final class ForCaller {

		private final @Nullable UnaryOperator<Runnable> captured;

		private ForCaller(@Nullable UnaryOperator<Runnable> captured) {
			this.captured = captured;
		}

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
			Callbacks.this.runtime.callBack(inContext(task), late);
		}

		/**
		 * Run a task on a thread for code of the user, but not on the user's executor.
		 */
		public void runNow(Runnable task) {
			Callbacks.this.runtime.callBackNow(inContext(task));
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
			Failures.log(logger::error, "The context of a caller failed; a callback that has not begun runs without it",
					ex);
		}
		once.run();
	}

}
