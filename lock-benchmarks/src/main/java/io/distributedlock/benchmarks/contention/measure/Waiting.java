package io.distributedlock.benchmarks.contention.measure;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.server.Server;
import io.distributedlock.benchmarks.contention.server.Servers;
import io.distributedlock.benchmarks.contention.worker.WaitingWorker;
import io.distributedlock.benchmarks.contention.worker.WorkerJvm;

/**
 * Many threads of one JVM wait for a key. What do they ask while nothing happens, and how
 * long does it take until all are served?
 *
 * @param name the name of the row
 * @param title the heading of its table
 * @param threads the number of waiting threads
 * @param columns what the table shows
 * @param admitted who takes part
 */
record Waiting(String name, String title, int threads, List<Column> columns,
		Predicate<Candidate> admitted) implements Row {

	private static final int WARM_UPS = 25;

	private static final int REPETITIONS = 3;

	private static final Duration SETTLING = Duration.ofMillis(500);

	@Override
	public boolean admits(Candidate candidate) {
		return this.admitted.test(candidate);
	}

	@Override
	public void measure(List<Candidate> candidates, Servers servers, Settings settings, Results results)
			throws Exception {
		for (int round = 1; round <= settings.rounds(); round++) {
			for (Candidate candidate : candidates) {
				try {
					measure(candidate, servers.of(candidate.backend()), settings, round, results);
				}
				catch (IOException ex) {
					Progress.say("%s, round %s: %s failed: %s", this.name, round, candidate.name(), ex);
				}
			}
		}
	}

	private void measure(Candidate candidate, Server server, Settings settings, int round, Results results)
			throws IOException, InterruptedException {
		server.clear();
		try (WorkerJvm worker = WorkerJvm.start(settings.log(this.name + "-" + candidate.name()),
				settings.time().plusMinutes(3), WaitingWorker.class,
				List.of(candidate.name(), server.url(), Integer.toString(this.threads)))) {
			worker.await("READY");
			for (int i = 0; i < WARM_UPS; i++) {
				served(worker, Duration.ZERO);
			}
			worker.send("wait");
			worker.await("WAITING");
			Thread.sleep(SETTLING.toMillis());
			Map<String, Long> before = server.counters();
			long start = System.nanoTime();
			Thread.sleep(settings.time().toMillis());
			double seconds = (System.nanoTime() - start) / 1e9;
			server.counters()
				.forEach((value, count) -> results.add(this.name, candidate.name(), round, value + "-per-second",
						(count - before.getOrDefault(value, 0L)) / seconds));
			results.add(this.name, candidate.name(), round, "served-after", release(worker));
			for (int i = 1; i < REPETITIONS; i++) {
				results.add(this.name, candidate.name(), round, "served-after", served(worker, SETTLING));
			}
			Progress.say("%s, round %s: %s", this.name, round, candidate.name());
		}
	}

	private static double served(WorkerJvm worker, Duration pause) throws IOException, InterruptedException {
		worker.send("wait");
		worker.await("WAITING");
		Thread.sleep(pause.toMillis());
		return release(worker);
	}

	private static double release(WorkerJvm worker) throws IOException {
		worker.send("release");
		return Long.parseLong(worker.await("SERVED")) / 1e6;
	}

}
