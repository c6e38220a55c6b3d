package io.distributedlock.autoconfigure.execution;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.core.task.TaskDecorator;

/**
 * Lets a task log with the MDC of its caller.
 */
final class MdcDecorator implements TaskDecorator {

	@Override
	public Runnable decorate(Runnable task) {
		Map<String, String> captured = MDC.getCopyOfContextMap();
		return () -> {
			Map<String, String> before = MDC.getCopyOfContextMap();
			set(captured);
			try {
				task.run();
			}
			finally {
				set(before);
			}
		};
	}

	private static void set(@Nullable Map<String, String> context) {
		if (context != null) {
			MDC.setContextMap(context);
		}
		else {
			MDC.clear();
		}
	}

}
