package io.distributedlock.benchmarks.contention.measure;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.server.Server;
import io.distributedlock.benchmarks.contention.server.Servers;
import io.distributedlock.benchmarks.contention.worker.HoldingWorker;
import io.distributedlock.benchmarks.contention.worker.WorkerJvm;

/**
 * One JVM holds many locks. What does each cost in heap, and how many scripts a second
 * renew them?
 *
 * @param name the name of the row
 * @param title the heading of its table
 * @param count the number of locks
 * @param columns what the table shows
 * @param admitted who takes part
 */
record Holding(String name, String title, int count, List<Column> columns,
		Predicate<Candidate> admitted) implements Row {

	/**
	 * Two renewals of each lock.
	 */
	private static final Duration TWO_RENEWALS = Duration.ofSeconds(4);

	@Override
	public boolean admits(Candidate candidate) {
		return this.admitted.test(candidate);
	}

	@Override
	public void measure(List<Candidate> candidates, Servers servers, Settings settings, Results results)
			throws Exception {
		for (int round = 1; round <= settings.rounds(); round++) {
			for (Candidate candidate : candidates) {
				measure(candidate, servers.of(candidate.backend()), settings, round, results);
			}
		}
	}

	private void measure(Candidate candidate, Server server, Settings settings, int round, Results results)
			throws IOException, InterruptedException {
		server.clear();
		try (WorkerJvm worker = WorkerJvm.start(settings.log(this.name + "-" + candidate.name()), Duration.ofMinutes(3),
				HoldingWorker.class, List.of(candidate.name(), server.url(), Integer.toString(this.count)))) {
			double bytes = Double.parseDouble(worker.await("BYTES"));
			results.add(this.name, candidate.name(), round, "heap", bytes);
			Map<String, Long> before = server.counters();
			if (!before.isEmpty()) {
				Thread.sleep(TWO_RENEWALS.toMillis());
				server.counters()
					.forEach((value, after) -> results.add(this.name, candidate.name(), round, value + "-per-second",
							(after - before.getOrDefault(value, 0L)) / (double) TWO_RENEWALS.toSeconds()));
			}
			Progress.say("%s, round %s: %s: %.0f bytes", this.name, round, candidate.name(), bytes);
			worker.send("end");
			worker.await("DONE");
		}
	}

}
