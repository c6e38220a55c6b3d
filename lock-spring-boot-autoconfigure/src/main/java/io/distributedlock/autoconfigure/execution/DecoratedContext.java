package io.distributedlock.autoconfigure.execution;

import java.util.function.UnaryOperator;

import io.distributedlock.CallerContext;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;

/**
 * The context of a caller as a {@link TaskDecorator} captures it. A decorator captures
 * when it decorates, and the task is not known yet then; so it decorates a step that runs
 * the task of the moment.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 *
 * @param decorator the decorator
 */
record DecoratedContext(TaskDecorator decorator) implements CallerContext {

	private static final ThreadLocal<@Nullable Runnable> TASK = new ThreadLocal<>();

	@Override
	public UnaryOperator<Runnable> capture() {
		Runnable decorated = this.decorator.decorate(DecoratedContext::runTask);
		return (task) -> () -> {
			Runnable before = TASK.get();
			TASK.set(task);
			try {
				decorated.run();
			}
			finally {
				TASK.set(before);
			}
		};
	}

	private static void runTask() {
		Runnable task = TASK.get();
		if (task != null) {
			task.run();
		}
	}

}
