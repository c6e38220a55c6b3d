package io.distributedlock.benchmarks.contention.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.server.Server;
import io.distributedlock.benchmarks.contention.server.Servers;
import io.distributedlock.benchmarks.contention.worker.Counters;
import io.distributedlock.benchmarks.contention.worker.Recording;
import io.distributedlock.benchmarks.contention.worker.Worker;
import io.distributedlock.benchmarks.contention.worker.WorkerJvm;

/**
 * Threads of one or several JVMs compete for one key, or for a few.
 *
 * @param name the name of the row
 * @param title the heading of its table
 * @param jvms the number of JVMs
 * @param threads the number of threads in each JVM
 * @param keys the number of keys, of which a thread takes any
 * @param sectionMicros how long a section takes, which is sleep
 * @param waits for how many milliseconds calls wait, without any for as long as it takes
 * @param columns what the table shows
 * @param admitted who takes part
 */
record Crowd(String name, String title, int jvms, int threads, int keys, long sectionMicros, List<Long> waits,
		List<Column> columns, Predicate<Candidate> admitted) implements Row {

	private static final Duration START_UP = Duration.ofMinutes(1);

	/**
	 * The time between the message to the workers and their common start.
	 */
	private static final long HEAD_START_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private static final long MOMENT_MILLIS = 50;

	@Override
	public boolean admits(Candidate candidate) {
		return this.admitted.test(candidate);
	}

	@Override
	public void measure(List<Candidate> candidates, Servers servers, Settings settings, Results results)
			throws Exception {
		for (int round = 1; round <= settings.rounds(); round++) {
			for (Candidate candidate : candidates) {
				Progress.say("%s, round %s: %s", this.name, round, candidate.name());
				try {
					measure(candidate, servers.of(candidate.backend()), settings, round, results);
				}
				catch (IOException | RuntimeException ex) {
					// such as a server that this machine does not have: the others go on
					Progress.say("  failed: %s", ex);
				}
			}
		}
	}

	private void measure(Candidate candidate, Server server, Settings settings, int round, Results results)
			throws IOException {
		server.clear();
		List<WorkerJvm> workers = new ArrayList<>();
		List<Path> files = new ArrayList<>();
		Path numbers = Files.createTempFile("numbers", ".bin");
		try {
			Counters counters = Counters.open(numbers, this.keys);
			for (int i = 0; i < this.jvms; i++) {
				files.add(Files.createTempFile("sections", ".bin"));
				workers.add(WorkerJvm.start(settings.log(this.name + "-" + candidate.name()),
						START_UP.plus(settings.warmUp(candidate.backend(), this.jvms)).plus(settings.time()),
						Worker.class, arguments(candidate, server, files.get(i), numbers, round)));
			}
			for (WorkerJvm worker : workers) {
				worker.await("READY");
			}
			long start = System.nanoTime() + HEAD_START_NANOS;
			long from = start + settings.warmUp(candidate.backend(), this.jvms).toNanos();
			long until = from + settings.time().toNanos();
			for (WorkerJvm worker : workers) {
				worker.send(start + " " + from + " " + until);
			}
			Map<String, Long> before = countersAt(from, server);
			Map<String, Long> after = countersAt(until, server);
			int failures = 0;
			long increments = 0;
			for (WorkerJvm worker : workers) {
				String[] done = worker.await("DONE").split(" ", -1);
				failures += Integer.parseInt(done[0]);
				increments += Long.parseLong(done[1]);
			}
			List<Recording.Section> sections = new ArrayList<>();
			for (int i = 0; i < this.jvms; i++) {
				Recording.read(files.get(i), i, this.threads, sections);
			}
			Analysis analysis = new Analysis(sections, from, until, this.jvms * this.threads);
			Map<String, Double> values = analysis.values();
			after.forEach((name, count) -> values.put(name + "-per-entry",
					(count - before.getOrDefault(name, 0L)) / (double) Math.max(1, analysis.entries())));
			Exclusion exclusion = new Exclusion(sections, increments, counters.sum());
			values.putAll(exclusion.values());
			values.put("failures", (double) failures);
			values.forEach((name, value) -> results.add(this.name, candidate.name(), round, name, value));
			analysis.entriesOverTime(MOMENT_MILLIS)
				.forEach((millis, count) -> results.addEntries(this.name, candidate.name(), round, millis, count));
			Progress.say("  %s", analysis);
			Progress.say("  %s, %s failures", exclusion, failures);
		}
		finally {
			workers.forEach(WorkerJvm::close);
			for (Path file : files) {
				Files.deleteIfExists(file);
			}
			Files.deleteIfExists(numbers);
		}
	}

	private List<String> arguments(Candidate candidate, Server server, Path recording, Path numbers, int round) {
		// a lock that a worker could not release must not stop the next one
		String keys = Worker.KEY + ":" + this.name + ":" + round;
		return Stream
			.concat(Stream.of(candidate.name(), server.url(), this.threads, this.sectionMicros, recording, keys,
					this.keys, numbers), this.waits.stream())
			.map(Object::toString)
			.toList();
	}

	private static Map<String, Long> countersAt(long nanos, Server server) {
		// a thread may be woken early
		for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
		return server.counters();
	}

}
