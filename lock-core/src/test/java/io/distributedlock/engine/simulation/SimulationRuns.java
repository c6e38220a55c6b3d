package io.distributedlock.engine.simulation;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Many runs of the simulation, one seed after the other, until the time is over, so many
 * calls were made, or a run has failed. They have a thread of their own: if the engine
 * blocks it for real, somebody must be there to say so.
 */
final class SimulationRuns {

	private static final long STUCK_MILLIS = 180_000;

	private static final int TRACE_LINES_SHOWN = Integer.getInteger("lock.simulation.lines", 100);

	private final AtomicReference<Long> current = new AtomicReference<>(0L);

	private final AtomicLong runs = new AtomicLong();

	private final AtomicLong calls = new AtomicLong();

	private final AtomicLong events = new AtomicLong();

	private volatile @Nullable String failure;

	private volatile boolean ended;

	/**
	 * Run seeds.
	 * @param seeds gives the next one, {@code 0} for no more
	 * @param longestNanos for how long, of real time
	 * @param mostCalls how many calls
	 */
	void run(LongSupplier seeds, long longestNanos, long mostCalls) throws InterruptedException {
		Thread loop = new Thread(() -> loop(seeds, System.nanoTime() + longestNanos, mostCalls), "simulation");
		loop.setDaemon(true);
		loop.start();
		long seen = -1;
		while (!this.ended) {
			loop.join(STUCK_MILLIS);
			if (!this.ended && seen == this.runs.get()) {
				AssertionError stuck = new AssertionError(
						"seed %s: the engine blocks the thread of the simulation for real"
							.formatted(this.current.get()));
				stuck.setStackTrace(loop.getStackTrace());
				throw stuck;
			}
			seen = this.runs.get();
		}
	}

	/**
	 * Return what went wrong first, {@code null} if nothing did.
	 */
	@Nullable String failure() {
		return this.failure;
	}

	long runs() {
		return this.runs.get();
	}

	long calls() {
		return this.calls.get();
	}

	long events() {
		return this.events.get();
	}

	private void loop(LongSupplier seeds, long until, long mostCalls) {
		SimulatedThread.Pool threads = new SimulatedThread.Pool();
		try {
			for (long seed = seeds.getAsLong(); seed != 0; seed = seeds.getAsLong()) {
				this.current.set(seed);
				Simulation.Result result = new Simulation(seed, threads, false).run();
				this.runs.incrementAndGet();
				this.calls.addAndGet(result.calls());
				this.events.addAndGet(result.events());
				String broken = result.failure();
				if (broken != null) {
					this.failure = broken + trace(seed, threads, result);
					return;
				}
				if (System.nanoTime() - until >= 0 || this.calls.get() >= mostCalls) {
					return;
				}
			}
		}
		catch (Throwable ex) {
			this.failure = "seed %s: %s".formatted(this.current.get(), SimulatedWorld.describe(ex));
		}
		finally {
			threads.close();
			this.ended = true;
		}
	}

	/**
	 * Run once more and tell what led to it.
	 */
	private static String trace(long seed, SimulatedThread.Pool threads, Simulation.Result first) {
		Simulation.Result again = new Simulation(seed, threads, true).run();
		List<String> lines = again.lines();
		String told = String.join("\n", lines.subList(Math.max(0, lines.size() - TRACE_LINES_SHOWN), lines.size()));
		String exact = (again.trace() == first.trace()) ? "" : "\nTHE RUN DID NOT REPLAY EXACTLY";
		return exact + "\n" + told;
	}

	/**
	 * Run from the command line: seconds, and a seed to run alone.
	 */
	public static void main(String[] args) throws InterruptedException {
		SimulationRuns runs = new SimulationRuns();
		long begun = System.nanoTime();
		long[] seed = { (args.length > 1) ? Long.parseLong(args[1]) : -System.nanoTime() };
		boolean alone = args.length > 1 && args.length < 3;
		int[] given = new int[1];
		runs.run(() -> (alone && given[0]++ > 0) ? 0 : seed[0]--, TimeUnit.SECONDS.toNanos(Long.parseLong(args[0])),
				Long.MAX_VALUE);
		System.out.printf("%s runs, %s calls, %s events, %s calls a second%n", runs.runs(), runs.calls(), runs.events(),
				runs.calls() * 1_000_000_000L / (System.nanoTime() - begun));
		if (runs.failure() != null) {
			System.out.println(runs.failure());
		}
	}

}
