package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

/**
 * Runs steps one after the other that would otherwise run one inside the other. The end
 * of one wait lets the next call through the gate; if a backend refuses immediately,
 * thousands of waits would end on one stack, and overflow it.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 */
final class Trampoline {

	private static final ThreadLocal<@Nullable Queue<Runnable>> RUNNING = new ThreadLocal<>();

	private Trampoline() {
	}

	/**
	 * Run a step on this thread: now, or after the step that runs there.
	 */
	static void run(Runnable step) {
		Queue<Runnable> running = RUNNING.get();
		if (running != null) {
			running.add(step);
			return;
		}
		Queue<Runnable> steps = new ArrayDeque<>(4);
		RUNNING.set(steps);
		try {
			for (Runnable next = step; next != null; next = steps.poll()) {
				Guard.run("a step of a call", next);
			}
		}
		finally {
			RUNNING.remove();
		}
	}

}
