package io.distributedlock.benchmarks.contention;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.distributedlock.benchmarks.contention.SoloWorker.Work;
import org.jspecify.annotations.Nullable;

/**
 * Contenders of one backend run in one JVM, in turns and without contention.
 *
 * @param name the name of the row
 * @param title the heading of its table
 * @param backend the backend
 * @param threads the number of threads, each with its own key
 * @param work what they do
 * @param limit the contender to which the others are compared, if it takes part
 * @param columns what the table shows
 * @param admitted who takes part
 */
record Solo(String name, String title, Backend backend, int threads, Work work, @Nullable String limit,
		List<Column> columns, Predicate<Candidate> admitted) implements Row {

	/**
	 * Short slices and many of them, so that all contenders meet the same disturbances.
	 */
	private static final int SLICES = 20;

	private static final long KEYS_TO_WARM_UP = 100;

	@Override
	public boolean admits(Candidate candidate) {
		return candidate.backend() == this.backend && this.admitted.test(candidate);
	}

	@Override
	public void measure(List<Candidate> candidates, Servers servers, Settings settings, Results results)
			throws IOException {
		if (candidates.isEmpty()) {
			return;
		}
		Server server = servers.of(this.backend);
		server.clear();
		boolean keys = this.work == Work.KEYS;
		int rounds = keys ? 1 : settings.rounds() * SLICES;
		Duration limitOfTime = settings.warmUp()
			.plus(settings.time())
			.multipliedBy((long) candidates.size() * settings.rounds())
			.plusMinutes(10);
		try (WorkerJvm worker = WorkerJvm.start(settings.log(this.name), limitOfTime, SoloWorker.class,
				List.of(server.url()))) {
			worker.await("READY");
			for (Candidate candidate : candidates) {
				run(worker, candidate, keys ? KEYS_TO_WARM_UP : settings.warmUp().toMillis() / 2, server);
			}
			for (int round = 1; round <= rounds; round++) {
				Map<String, Map<String, Double>> measured = new LinkedHashMap<>();
				for (Candidate candidate : candidates) {
					if (keys) {
						server.clear();
					}
					measured.put(candidate.name(), run(worker, candidate,
							keys ? settings.keys() : settings.time().toMillis() / SLICES, server));
				}
				add(measured, round, results);
			}
		}
	}

	private void add(Map<String, Map<String, Double>> measured, int round, Results results) {
		Map<String, Double> compared = (this.limit != null) ? measured.get(this.limit) : null;
		measured.forEach((candidate, values) -> {
			if (compared != null) {
				values.put("ratio", rate(values) / rate(compared));
			}
			values.forEach((value, number) -> results.add(this.name, candidate, round, value, number));
			if (round % SLICES == 1) {
				Progress.say("%s, round %d: %s: %.0f a second", this.name, round, candidate, rate(values));
			}
		});
	}

	private static double rate(Map<String, Double> values) {
		return values.getOrDefault("cycles-per-second", 0.0);
	}

	private Map<String, Double> run(WorkerJvm worker, Candidate candidate, long amount, Server server)
			throws IOException {
		Map<String, Long> before = server.counters();
		worker.send("%s %d %d %s".formatted(candidate.name(), this.threads, amount, this.work));
		String[] answer = worker.await("CYCLES").split(" ", -1);
		double cycles = Double.parseDouble(answer[0]);
		double nanos = Double.parseDouble(answer[1]);
		Map<String, Double> values = new LinkedHashMap<>();
		values.put("cycles-per-second", cycles * 1e9 / nanos);
		values.put("nanos", nanos / Math.max(1, cycles));
		Map<String, Long> after = server.counters();
		after.forEach((name, count) -> values.put(name + "-per-cycle",
				(count - before.getOrDefault(name, 0L)) / Math.max(1, cycles)));
		values.put("keys-left", (double) after.getOrDefault(Server.KEYS, 0L));
		return values;
	}

}
