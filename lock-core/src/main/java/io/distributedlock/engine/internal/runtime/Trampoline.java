package io.distributedlock.engine.internal.runtime;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

/**
 * Runs steps one after the other that would otherwise run one inside the other. The end
 * of one wait lets the next call ask; if a backend refuses immediately, thousands of
 * waits would end on one stack, and overflow it.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 */
public final class Trampoline {

	/**
	 * What waits for the step that runs on a thread. Set to nothing between two runs, and
	 * not removed: an entry without a value refers to nothing, and costs less than a new
	 * one for each run.
	 */
	private static final ThreadLocal<@Nullable Queue<Runnable>> LATER = new ThreadLocal<>();

	/**
	 * For most runs, as no step has to wait. Nothing is added to it.
	 */
	private static final Queue<Runnable> NOTHING = new ConcurrentLinkedQueue<>();

	private Trampoline() {
	}

	/**
	 * Run a step on this thread: now, or after the step that runs there.
	 */
	public static void run(Runnable step) {
		Queue<Runnable> later = LATER.get();
		if (later == null) {
			runAll(step);
		}
		else if (later == NOTHING) {
			LATER.set(new ArrayDeque<>(List.of(step)));
		}
		else {
			later.add(step);
		}
	}

	/**
	 * Run a step on this thread now, also inside the step that runs there: somebody waits
	 * for it, and a provider may have called from inside of that one and block. What it
	 * gives to {@link #run} comes later.
	 */
	public static void runNow(Runnable step) {
		if (LATER.get() != null) {
			Guard.run("a step of a call", step);
		}
		else {
			runAll(step);
		}
	}

	private static void runAll(Runnable first) {
		LATER.set(NOTHING);
		try {
			for (Runnable next = first; next != null; next = LATER.get().poll()) {
				Guard.run("a step of a call", next);
			}
		}
		finally {
			LATER.set(null);
		}
	}

}
