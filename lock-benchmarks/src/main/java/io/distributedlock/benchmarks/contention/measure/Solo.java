package io.distributedlock.benchmarks.contention.measure;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.distributedlock.benchmarks.contention.contender.Backend;
import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.server.Server;
import io.distributedlock.benchmarks.contention.server.Servers;
import io.distributedlock.benchmarks.contention.worker.SoloWorker;
import io.distributedlock.benchmarks.contention.worker.SoloWorker.Work;
import io.distributedlock.benchmarks.contention.worker.WorkerJvm;
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
		Duration limitOfTime = settings.warmUp(this.backend, 1)
			.plus(settings.time())
			// the limit runs as often as all others together
			.multipliedBy(2L * candidates.size() * settings.rounds())
			.plusMinutes(10);
		try (WorkerJvm worker = WorkerJvm.start(settings.log(this.name), limitOfTime, SoloWorker.class,
				List.of(server.url()))) {
			worker.await("READY");
			for (Candidate candidate : candidates) {
				run(worker, candidate, keys ? KEYS_TO_WARM_UP : settings.warmUp(this.backend, 1).toMillis() / 2,
						server);
			}
			for (int round = 1; round <= rounds; round++) {
				List<Slice> slices = new ArrayList<>();
				for (Candidate candidate : order(candidates)) {
					if (keys) {
						server.clear();
					}
					slices.add(new Slice(candidate.name(), run(worker, candidate,
							keys ? settings.keys() : settings.time().toMillis() / SLICES, server)));
				}
				add(slices, round, results);
			}
		}
	}

	/**
	 * Return who runs in a round, one after the other. The limit runs before and after
	 * each other contender, because the machine may be much slower a little later.
	 */
	List<Candidate> order(List<Candidate> candidates) {
		List<Candidate> limits = candidates.stream().filter((candidate) -> isLimit(candidate.name())).toList();
		List<Candidate> order = new ArrayList<>(limits);
		for (Candidate candidate : candidates) {
			if (!limits.contains(candidate)) {
				order.add(candidate);
				order.addAll(limits);
			}
		}
		return order;
	}

	private boolean isLimit(String candidate) {
		return candidate.equals(this.limit);
	}

	private void add(List<Slice> slices, int round, Results results) {
		boolean compared = isLimit(slices.get(0).candidate);
		for (int i = 0; i < slices.size(); i++) {
			Slice slice = slices.get(i);
			if (compared && !isLimit(slice.candidate)) {
				slice.values.put("ratio", 2 * slice.rate() / (slices.get(i - 1).rate() + slices.get(i + 1).rate()));
			}
			slice.values.forEach((value, number) -> results.add(this.name, slice.candidate, round, value, number));
			if (round % SLICES == 1) {
				Progress.say("%s, round %s: %s: %.0f a second", this.name, round, slice.candidate, slice.rate());
			}
		}
	}

	private Map<String, Double> run(WorkerJvm worker, Candidate candidate, long amount, Server server)
			throws IOException {
		Map<String, Long> before = server.counters();
		worker.send("%s %s %s %s".formatted(candidate.name(), this.threads, amount, this.work));
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

	/**
	 * What a contender did in its turn.
	 */
	private record Slice(String candidate, Map<String, Double> values) {

		private double rate() {
			return this.values.getOrDefault("cycles-per-second", 0.0);
		}

	}

}
