package io.distributedlock.benchmarks.contention.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

import io.distributedlock.benchmarks.contention.contender.Backend;
import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidate.Trait;
import io.distributedlock.benchmarks.contention.measure.Row.Column;
import io.distributedlock.benchmarks.contention.worker.SoloWorker.Work;

/**
 * All rows.
 */
public final class Rows {

	private static final Column INSIDE = new Column("inside", "time inside", "%.0f %%");

	private static final Column PER_SECOND = new Column("entries-per-second", "entries a second", "%,.0f");

	private static final Column CROSSING = new Column("crossing", "to another JVM", "%.0f %%");

	private static final Column HAND_OVER = new Column("hand-over-micros", "for that, µs", "%,.0f");

	private static final Column COMMANDS = new Column("commands-per-entry", "commands", "%.1f");

	private static final Column SCRIPTS = new Column("scripts-per-entry", "scripts", "%.1f");

	private static final Column WAIT_99 = new Column("wait-p99", "wait p99, ms", "%.0f");

	private static final Column WAIT_MAX = new Column("wait-max", "longest wait, ms", "%.0f");

	private static final Column SERVED = new Column("most-to-least", "most / least served", "%.1f");

	private static final Column OVERTAKEN = new Column("overtaken", "overtakes", "%.0f %%");

	private static final Column LONGEST_FREE = new Column("longest-free", "longest time without a grant, ms", "%.0f");

	private static final Column READS = new Column("reads-per-cycle", "requests", "%.1f", Spread.QUARTILES);

	private static final Column BYTES = new Column("bytes-per-cycle", "bytes to the server", "%.0f", Spread.QUARTILES);

	private static final Column CYCLES = new Column("cycles-per-second", "cycles a second", "%,.0f", Spread.QUARTILES);

	private static final Column RATIO = new Column("ratio", "ratio to by hand", "%.2f", Spread.QUARTILES);

	private static final Column NANOS = new Column("nanos", "ns", "%,.0f", Spread.QUARTILES);

	private static final Column HEAP = new Column("heap", "bytes of heap each", "%,.0f");

	private static final Column SCRIPTS_PER_SECOND = new Column("scripts-per-second", "scripts a second", "%,.0f");

	private static final Column WRITES = new Column("writes-per-entry", "log entries", "%.1f");

	private static final Column WRITES_PER_CYCLE = new Column("writes-per-cycle", "log entries", "%.1f",
			Spread.QUARTILES);

	private static final List<Column> CROWD = List.of(INSIDE, PER_SECOND, CROSSING, HAND_OVER, COMMANDS, SCRIPTS,
			WAIT_99, WAIT_MAX, SERVED, OVERTAKEN);

	private static final List<Column> CROWD_ELSEWHERE = List.of(INSIDE, PER_SECOND, CROSSING, HAND_OVER, WAIT_99,
			WAIT_MAX, SERVED, OVERTAKEN);

	private static final List<Column> CROWD_ON_ETCD = List.of(INSIDE, PER_SECOND, CROSSING, HAND_OVER, WRITES, WAIT_99,
			WAIT_MAX, SERVED, OVERTAKEN);

	private static final List<Column> PROOF = List.of(new Column("increments", "increments", "%,.0f", Spread.SUM),
			new Column(Exclusion.LOST, "lost", "%,.0f", Spread.SUM),
			new Column(Exclusion.OVERLAPS, "overlaps", "%,.0f", Spread.SUM),
			new Column(Exclusion.TOKENS, "tokens that did not rise", "%,.0f", Spread.SUM),
			new Column("failures", "failed calls", "%,.0f", Spread.SUM));

	private static final Predicate<Candidate> WITH_LEASE = (candidate) -> !candidate.is(Trait.RENEWED)
			&& !candidate.is(Trait.ASYNC_RELEASE) && !candidate.is(Trait.CONTROL);

	private static final Predicate<Candidate> WAITS_ON_REDIS = WITH_LEASE
		.and((candidate) -> candidate.backend() == Backend.REDIS && !candidate.is(Trait.NO_WAITING));

	private static final Predicate<Candidate> IN_ONE_JVM = WAITS_ON_REDIS
		.or(WITH_LEASE.and((candidate) -> candidate.backend() == Backend.JVM));

	private static final Predicate<Candidate> NOT_FAIR = WITH_LEASE.and((candidate) -> !candidate.is(Trait.FAIR));

	/**
	 * Who can be compared with a lock by hand that nobody else wants.
	 */
	private static final Predicate<Candidate> UNCONTENDED = NOT_FAIR.and((candidate) -> !isPrototype(candidate))
		.or((candidate) -> candidate.is(Trait.ASYNC_RELEASE));

	/**
	 * All that can refuse a call in time.
	 */
	private static final Predicate<Candidate> STORM = WITH_LEASE
		.and((candidate) -> !candidate.is(Trait.LIMIT) && !candidate.is(Trait.NO_TIME_OUT)
				&& Set.of(Backend.REDIS, Backend.ETCD, Backend.ZOOKEEPER, Backend.POSTGRESQL)
					.contains(candidate.backend()));

	private static final Predicate<Candidate> PROVEN = WITH_LEASE.and((candidate) -> candidate.is(Trait.OURS))
		.or((candidate) -> candidate.is(Trait.CONTROL));

	private Rows() {
	}

	public static List<Row> all() {
		List<Row> rows = new ArrayList<>(List.of(
				new Crowd("three-jvms", "3 JVMs × 2 threads, one key, sections of 1 ms", 3, 2, 1, 1000, List.of(),
						CROWD, WAITS_ON_REDIS),
				new Crowd("three-hundred", "3 JVMs × 100 threads, one key, sections of 1 ms", 3, 100, 1, 1000,
						List.of(), CROWD, WAITS_ON_REDIS),
				new Crowd("one-jvm-empty", "8 threads of one JVM, one key, empty sections", 1, 8, 1, 0, List.of(),
						List.of(PER_SECOND, COMMANDS, WAIT_99, WAIT_MAX, SERVED), IN_ONE_JVM),
				new Crowd("one-jvm", "8 threads of one JVM, one key, sections of 1 ms", 1, 8, 1, 1000, List.of(),
						List.of(INSIDE, PER_SECOND, COMMANDS, WAIT_99, WAIT_MAX, SERVED), IN_ONE_JVM),
				new Waiting("waiting", "200 threads of one JVM wait", 200,
						List.of(new Column("commands-per-second", "commands a second while they wait", "%,.0f"),
								SCRIPTS_PER_SECOND,
								new Column("served-after", "all served after the release, ms", "%,.0f")),
						WAITS_ON_REDIS),
				new Solo("uncontended", "One thread, no contention", Backend.REDIS, 1, Work.CYCLE, "by-hand",
						List.of(RATIO, CYCLES, READS, BYTES), UNCONTENDED),
				new Solo("uncontended-16", "16 threads, each with its own key", Backend.REDIS, 16, Work.CYCLE,
						"by-hand", List.of(RATIO, CYCLES), UNCONTENDED),
				new Solo("re-entry", "Re-entry", Backend.REDIS, 1, Work.REENTER, null, List.of(NANOS),
						NOT_FAIR.and((candidate) -> candidate.is(Trait.REENTRANT))),
				new Solo("many-keys", "Many different keys, each locked once", Backend.REDIS, 16, Work.KEYS, null,
						List.of(new Column("keys-left", "keys left on the server", "%,.0f")),
						NOT_FAIR.and((candidate) -> !isPrototype(candidate))),
				new Holding("renewed", "5,000 locks, renewed each two seconds", 5000, List.of(SCRIPTS_PER_SECOND, HEAP),
						(candidate) -> candidate.is(Trait.RENEWED) && candidate.backend() == Backend.REDIS),
				new Holding("heap", "Heap without a backend", 20_000, List.of(HEAP),
						(candidate) -> candidate.is(Trait.RENEWED) && candidate.backend() == Backend.JVM)));
		for (Backend backend : List.of(Backend.ETCD, Backend.ZOOKEEPER, Backend.POSTGRESQL, Backend.H2,
				Backend.MARIADB)) {
			boolean etcd = backend == Backend.ETCD;
			String name = backend.name().toLowerCase(Locale.ROOT);
			rows.add(new Crowd("three-jvms-" + name,
					backend.title() + ": 3 JVMs × 2 threads, one key, sections of 1 ms", 3, 2, 1, 1000, List.of(),
					etcd ? CROWD_ON_ETCD : CROWD_ELSEWHERE, (candidate) -> candidate.backend() == backend));
			rows.add(new Solo("uncontended-" + name, backend.title() + ": one thread, no contention", backend, 1,
					Work.CYCLE, null, etcd ? List.of(CYCLES, WRITES_PER_CYCLE) : List.of(CYCLES), NOT_FAIR));
		}
		rows.add(
				new Crowd("storm", "Calls that wait for 0, 1, 20 or 60 ms, and come again: 3 JVMs × 8 threads, one key",
						3, 8, 1, 1000, List.of(0L, 1L, 20L, 60L), List.of(PER_SECOND, LONGEST_FREE, SERVED), STORM));
		String section = "read a number, pause for 0.2 ms, write it back with one more";
		rows.add(new Crowd("no-lost-update", "3 JVMs × 4 threads, one key: " + section, 3, 4, 1, 200, List.of(), PROOF,
				PROVEN));
		rows.add(new Crowd("no-lost-update-8", "3 JVMs × 4 threads, 8 keys: " + section, 3, 4, 8, 200, List.of(), PROOF,
				PROVEN));
		return List.copyOf(rows);
	}

	private static boolean isPrototype(Candidate candidate) {
		return candidate.is(Trait.LIMIT) && !candidate.is(Trait.NO_WAITING);
	}

	public static Row named(String name) {
		return all().stream()
			.filter((row) -> row.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"There is no row '%s'. There are: %s".formatted(name, all().stream().map(Row::name).toList())));
	}

}
