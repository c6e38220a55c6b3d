package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Virtual time, chance and the order of everything that happens in one run of the
 * simulation. What happens at a time is an event; between two events nothing happens. Two
 * runs with one seed have the same events, which {@link #trace()} proves.
 */
final class SimulatedWorld {

	/**
	 * The threads of a JVM that code runs on. Who may call whom is an invariant.
	 */
	enum Role {

		/**
		 * Threads of the application that call the template.
		 */
		CALLER(1),

		/**
		 * The timer of the engine, which calls neither providers nor users.
		 */
		TIMER(2),

		/**
		 * Threads of the engine, which call providers.
		 */
		ENGINE(3),

		/**
		 * Threads of the user's executor, the only ones for callbacks and continuations.
		 */
		CALLBACK(4),

		/**
		 * Threads of the backend's client, which bring answers and messages.
		 */
		CLIENT(5),

		/**
		 * The server, and what else is no part of a JVM.
		 */
		OUTSIDE(6);

		private final long mark;

		Role(long mark) {
			this.mark = mark;
		}

	}

	private static final long FNV_PRIME = 0x100000001b3L;

	/**
	 * No run lasts so long.
	 */
	private static final long NEVER = 10_000_000_000_000_000L;

	private static final int TRACE_LINES = 40_000;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final SplittableRandom random;

	private final boolean tracing;

	private final List<String> lines = new ArrayList<>();

	private final List<String> violations = new ArrayList<>();

	private long now;

	private long sequence;

	private long trace = 0xcbf29ce484222325L;

	private long happened;

	private Role role = Role.OUTSIDE;

	private @Nullable SimulatedNode node;

	SimulatedWorld(long seed, boolean tracing) {
		this.random = new SplittableRandom(seed);
		this.tracing = tracing;
	}

	/**
	 * Return the time in nanoseconds since the begin of the run.
	 */
	long now() {
		return this.now;
	}

	/**
	 * Return the time to one who reads a clock: no two readings are the same.
	 */
	long tick() {
		return ++this.now;
	}

	/**
	 * Return a number from zero to the bound, which is excluded.
	 */
	long random(long bound) {
		return (bound <= 1) ? 0 : this.random.nextLong(bound);
	}

	boolean chance(int perMille) {
		return perMille > 0 && this.random.nextInt(1000) < perMille;
	}

	Role role() {
		return this.role;
	}

	/**
	 * Let something happen later.
	 * @param delay how much later, in nanoseconds
	 * @param where the node that it happens in, {@code null} for outside of all; it waits
	 * while the node is paused, and never happens in one that was killed
	 * @param as the thread that it happens on
	 * @param what a name for the trace
	 * @param task what happens
	 */
	void later(long delay, @Nullable SimulatedNode where, Role as, String what, Runnable task) {
		if (delay > NEVER) {
			return;
		}
		this.events.add(new Event(this.now + Math.max(delay, 0), ++this.sequence, where, as, what, task));
	}

	/**
	 * Let things happen until the time, or until nothing is left.
	 * @return {@code false} if nothing is left, or a promise is broken
	 */
	boolean runUntil(long time) {
		while (this.violations.isEmpty()) {
			Event next = this.events.peek();
			if (next == null) {
				this.now = Math.max(this.now, time);
				return false;
			}
			if (next.time > time) {
				this.now = Math.max(this.now, time);
				return true;
			}
			this.events.poll();
			happen(next);
		}
		return false;
	}

	/**
	 * Return how many events of one sort are still to come.
	 */
	long pending(Role kind) {
		return this.events.stream().filter((event) -> event.role == kind).count();
	}

	long happened() {
		return this.happened;
	}

	/**
	 * Add what was decided to the trace.
	 */
	void mark(long decision) {
		this.trace = (this.trace ^ decision) * FNV_PRIME;
	}

	/**
	 * Return what stands for all that has happened.
	 */
	long trace() {
		return this.trace;
	}

	void note(Supplier<String> line) {
		if (this.tracing) {
			note("    " + line.get(), this.node);
		}
	}

	/**
	 * Note that a promise is broken.
	 */
	void violation(String what) {
		if (this.violations.size() < 10) {
			this.violations.add("at %,d us, %s on %s: %s".formatted(this.now / 1000, this.role,
					(this.node != null) ? this.node : "the outside", what));
		}
		note(() -> "VIOLATION " + what);
	}

	List<String> violations() {
		return this.violations;
	}

	List<String> lines() {
		return this.lines;
	}

	private void happen(Event event) {
		SimulatedNode where = event.node;
		if (where != null && where.isDead()) {
			return;
		}
		if (where != null && where.pausedUntil() > event.time) {
			// with its old number: what was held back happens in the order in which it
			// was due
			this.events.add(new Event(where.pausedUntil(), event.sequence, where, event.role, event.what, event.task));
			return;
		}
		this.now = Math.max(this.now, event.time);
		this.happened++;
		mark(this.now);
		mark(event.role.mark + ((where != null) ? 16L * where.id() : 0));
		this.role = event.role;
		this.node = where;
		if (this.tracing) {
			note(event.role + " " + event.what, where);
		}
		try {
			event.task.run();
		}
		catch (Throwable ex) {
			violation("%s let an exception escape: %s".formatted(event.what, describe(ex)));
		}
		finally {
			this.role = Role.OUTSIDE;
			this.node = null;
		}
	}

	static String describe(Throwable failure) {
		StringBuilder text = new StringBuilder(failure.toString());
		StackTraceElement[] stack = failure.getStackTrace();
		for (int i = 0; i < Math.min(stack.length, 8); i++) {
			text.append(" < ").append(stack[i]);
		}
		return (failure.getCause() != null) ? text + "; caused by " + describe(failure.getCause()) : text.toString();
	}

	private void note(String line, @Nullable SimulatedNode where) {
		if (this.lines.size() == TRACE_LINES) {
			this.lines.subList(0, TRACE_LINES / 2).clear();
		}
		this.lines.add("%,15d ns %s %s".formatted(this.now, (where != null) ? where : "outside", line));
	}

	private record Event(long time, long sequence, @Nullable SimulatedNode node, Role role, String what,
			Runnable task) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			return (this.time != other.time) ? Long.compare(this.time, other.time)
					: Long.compare(this.sequence, other.sequence);
		}

	}

}
