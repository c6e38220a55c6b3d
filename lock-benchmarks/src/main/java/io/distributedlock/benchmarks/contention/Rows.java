package io.distributedlock.benchmarks.contention;

import java.util.List;
import java.util.function.Predicate;

import io.distributedlock.benchmarks.contention.Candidate.Trait;
import io.distributedlock.benchmarks.contention.Row.Column;

/**
 * All rows.
 */
final class Rows {

	private static final Column INSIDE = new Column("inside", "time inside", "%.0f %%");

	private static final Column PER_SECOND = new Column("entries-per-second", "entries a second", "%,.0f");

	private static final Column CROSSING = new Column("crossing", "to another JVM", "%.0f %%");

	private static final Column COMMANDS = new Column("commands-per-entry", "commands", "%.1f");

	private static final Column SCRIPTS = new Column("scripts-per-entry", "scripts", "%.1f");

	private static final Column WAIT_99 = new Column("wait-p99", "wait p99, ms", "%.0f");

	private static final Column WAIT_MAX = new Column("wait-max", "longest wait, ms", "%.0f");

	private static final Column SERVED = new Column("most-to-least", "most / least served", "%.1f");

	private static final Column OVERTAKEN = new Column("overtaken", "overtakes", "%.0f %%");

	private static final Column OVERLAPS = new Column("overlaps", "overlaps", "%.0f");

	private static final Predicate<Candidate> WAITS_ON_REDIS = (candidate) -> candidate.backend() == Backend.REDIS
			&& !candidate.is(Trait.NO_WAITING);

	private static final Predicate<Candidate> IN_ONE_JVM = WAITS_ON_REDIS
		.or((candidate) -> candidate.backend() == Backend.JVM);

	private Rows() {
	}

	static List<Row> all() {
		return List.of(
				new Crowd("three-jvms", "3 JVMs × 2 threads, one key, sections of 1 ms", 3, 2, 1000,
						List.of(INSIDE, PER_SECOND, CROSSING, COMMANDS, SCRIPTS, WAIT_99, WAIT_MAX, SERVED, OVERTAKEN,
								OVERLAPS),
						WAITS_ON_REDIS),
				new Crowd("three-hundred", "3 JVMs × 100 threads, one key, sections of 1 ms", 3, 100, 1000,
						List.of(INSIDE, PER_SECOND, CROSSING, COMMANDS, SCRIPTS, WAIT_99, WAIT_MAX, SERVED, OVERTAKEN,
								OVERLAPS),
						WAITS_ON_REDIS),
				new Crowd("one-jvm-empty", "8 threads of one JVM, one key, empty sections", 1, 8, 0,
						List.of(PER_SECOND, COMMANDS, WAIT_99, WAIT_MAX, SERVED, OVERLAPS), IN_ONE_JVM),
				new Crowd("one-jvm", "8 threads of one JVM, one key, sections of 1 ms", 1, 8, 1000,
						List.of(INSIDE, PER_SECOND, COMMANDS, WAIT_99, WAIT_MAX, SERVED, OVERLAPS), IN_ONE_JVM));
	}

	static Row named(String name) {
		return all().stream()
			.filter((row) -> row.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"There is no row '%s'. There are: %s".formatted(name, all().stream().map(Row::name).toList())));
	}

}
