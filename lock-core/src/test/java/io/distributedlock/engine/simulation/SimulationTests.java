package io.distributedlock.engine.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the engine in virtual time on simulated nodes, a server and a network that fail in
 * every way, and checks what {@code docs/safety.md} promises. What a run does follows
 * from its seed; {@code docs/simulation.md} says how to run one alone and how to run many
 * for long.
 */
class SimulationTests {

	/**
	 * An ordinary build runs new seeds for ten seconds, the long one for a minute.
	 */
	private static final long SECONDS = Long.getLong("lock.simulation.seconds",
			"false".equals(System.getProperty("lock.test.one-generation")) ? 60 : 10);

	private static final long CALLS = Long.getLong("lock.simulation.calls", Long.MAX_VALUE);

	private static final long SEED = Long.getLong("lock.simulation.seed", 0);

	/**
	 * A run takes milliseconds; this is for a machine under load.
	 */
	private static final long ENOUGH_NANOS = TimeUnit.MINUTES.toNanos(10);

	/**
	 * Ends by itself, and {@link SimulationRuns} ends it if it is stuck.
	 */
	@Test
	@Timeout(value = 2, unit = TimeUnit.DAYS)
	void promisesHoldInRunsThatNobodyHasSeen() throws InterruptedException {
		long[] seed = { (SEED != 0) ? SEED : System.nanoTime() };
		boolean untilCalls = CALLS != Long.MAX_VALUE;
		SimulationRuns runs = new SimulationRuns();
		runs.run((SEED != 0) ? oneAfterTheOther(List.of(SEED)) : () -> next(seed),
				untilCalls ? TimeUnit.DAYS.toNanos(1) : TimeUnit.SECONDS.toNanos(SECONDS), CALLS);
		System.out.printf("Simulation: %,d runs, %,d calls, %,d events, seeds up to %s%n", runs.runs(), runs.calls(),
				runs.events(), seed[0]);
		assertThat(runs.failure()).isNull();
		assertThat(runs.calls()).isPositive();
	}

	@Test
	void promisesHoldWhereTheyWereBrokenOnce() throws InterruptedException, IOException {
		SimulationRuns runs = new SimulationRuns();
		runs.run(oneAfterTheOther(seedsThatFailed()), ENOUGH_NANOS, Long.MAX_VALUE);
		assertThat(runs.failure()).isNull();
	}

	@Test
	void runsReplayExactly() {
		SimulatedThread.Pool threads = new SimulatedThread.Pool();
		for (long each = 1; each <= 30; each++) {
			long seed = variant(each);
			Simulation.Result first = new Simulation(seed, threads, false).run();
			Simulation.Result again = new Simulation(seed, threads, true).run();
			assertThat(again.trace()).as("trace of seed %s", seed).isEqualTo(first.trace());
			assertThat(again.events()).as("events of seed %s", seed).isEqualTo(first.events());
		}
		threads.close();
	}

	/**
	 * Every other run has writers that go on reading.
	 */
	private static long next(long[] seed) {
		seed[0]++;
		return (seed[0] % 2 == 0) ? variant(seed[0]) : -variant(seed[0]);
	}

	/**
	 * Half of the runs hand over locks, three of eight have a queue for all lock types,
	 * and one of 16 is a storm.
	 */
	private static long variant(long seed) {
		return switch ((int) (seed % 8 / 2)) {
			case 0 -> seed;
			case 1 -> seed | Simulation.HANDS_OVER;
			case 2 -> seed | Simulation.HANDS_OVER | Simulation.QUEUES;
			default -> seed | switch ((int) (seed % 16)) {
				case 7 -> Simulation.STORMS | ((seed % 32 == 7) ? Simulation.HANDS_OVER : 0);
				case 15 -> 0;
				default -> Simulation.QUEUES;
			};
		};
	}

	private static LongSupplier oneAfterTheOther(List<Long> seeds) {
		Iterator<Long> each = seeds.iterator();
		return () -> each.hasNext() ? each.next() : 0;
	}

	/**
	 * Each line is a seed and why it is kept.
	 */
	private static List<Long> seedsThatFailed() throws IOException {
		InputStream file = Objects.requireNonNull(SimulationTests.class.getResourceAsStream("simulation-seeds.txt"));
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
			return lines.lines()
				.filter((line) -> !line.isBlank() && !line.startsWith("#"))
				.map((line) -> Long.valueOf(line.split("\\s", 2)[0]))
				.toList();
		}
	}

}
