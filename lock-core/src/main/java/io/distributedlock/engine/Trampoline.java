package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

/**
 * Runs steps that cause further steps one after the other, and not one inside the other:
 * the end of one wait lets the next caller in, and a backend that refuses at once would
 * end thousands of waits on one stack.
 */
final class Trampoline {

	private static final ThreadLocal<@Nullable Queue<Runnable>> RUNNING = new ThreadLocal<>();

	private Trampoline() {
	}

	/**
	 * Run a step on this thread: now, or after the one that is running there.
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
				Guard.run("the end of a wait", next);
			}
		}
		finally {
			RUNNING.remove();
		}
	}

}
