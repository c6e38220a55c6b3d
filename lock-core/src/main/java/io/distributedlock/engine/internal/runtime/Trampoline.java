package io.distributedlock.engine.internal.runtime;

import java.util.ArrayDeque;
import java.util.Queue;

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
	 * Set to nothing between two runs, and not removed: an entry without a value refers
	 * to nothing, and costs less than a new one for each run.
	 */
	private static final ThreadLocal<@Nullable Trampoline> RUNNING = new ThreadLocal<>();

	/**
	 * Created for the first step that has to wait, which most runs do not have.
	 */
	private @Nullable Queue<Runnable> later;

	private Trampoline() {
	}

	/**
	 * Run a step on this thread: now, or after the step that runs there.
	 */
	public static void run(Runnable step) {
		Trampoline running = RUNNING.get();
		if (running != null) {
			running.add(step);
			return;
		}
		Trampoline trampoline = new Trampoline();
		RUNNING.set(trampoline);
		try {
			for (Runnable next = step; next != null; next = trampoline.poll()) {
				Guard.run("a step of a call", next);
			}
		}
		finally {
			RUNNING.set(null);
		}
	}

	/**
	 * Run a step on this thread now, also inside the step that runs there: somebody waits
	 * for it, and a provider may have called from inside of that one and block. What it
	 * gives to {@link #run} comes later.
	 */
	public static void runNow(Runnable step) {
		if (RUNNING.get() != null) {
			Guard.run("a step of a call", step);
		}
		else {
			run(step);
		}
	}

	private void add(Runnable step) {
		if (this.later == null) {
			this.later = new ArrayDeque<>(4);
		}
		this.later.add(step);
	}

	private @Nullable Runnable poll() {
		return (this.later != null) ? this.later.poll() : null;
	}

}
