package io.distributedlock.benchmarks.contention;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.measure.Row;
import io.distributedlock.benchmarks.contention.measure.Rows;
import io.distributedlock.benchmarks.contention.measure.Settings;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command.
 *
 * @param rows what to measure
 * @param candidates who takes part
 * @param settings how long and how often
 * @param page the page in which to replace the tables, if any
 * @param tablesOnly whether to make the tables of what was measured before
 */
record Options(List<Row> rows, List<Candidate> candidates, Settings settings, @Nullable Path page, boolean tablesOnly) {

	static final String HELP = """
			Contention [option ...]
			  --rows=a,b         measure these rows: %s
			  --contenders=a,b   only these contenders: %s
			  --rounds=3         how often each contender is measured, in turns with the others
			  --warm-up=12s      how long each runs before, for each of its JVMs
			  --time=6s          how long each is measured
			  --keys=100000      how many different keys the row 'many-keys' locks
			  --quick            the same as --rounds=1 --warm-up=1s --time=1s --keys=2000
			  --output=folder    for results.csv, entries.csv, tables.md and the pictures; target/contention
			  --page=file        replace the tables of this page, and the pictures beside it
			  --tables           measure nothing: make the tables of what the folder has
			""".formatted(Rows.all().stream().map(Row::name).toList(),
			Candidates.all().stream().map(Candidate::name).toList());

	private static final Set<String> NAMES = Set.of("rows", "contenders", "rounds", "warm-up", "time", "keys", "quick",
			"output", "page", "tables");

	/**
	 * Return the options.
	 * @return {@code null} if they cannot be understood
	 */
	static @Nullable Options parse(String... args) {
		Map<String, String> given = new HashMap<>();
		for (String arg : args) {
			String[] parts = arg.split("=", 2);
			if (!parts[0].startsWith("--") || !NAMES.contains(parts[0].substring(2))) {
				return null;
			}
			given.put(parts[0].substring(2), (parts.length > 1) ? parts[1] : "");
		}
		boolean quick = given.containsKey("quick");
		Settings settings = new Settings(Integer.parseInt(given.getOrDefault("rounds", quick ? "1" : "3")),
				duration(given.getOrDefault("warm-up", quick ? "1s" : "12s")),
				duration(given.getOrDefault("time", quick ? "1s" : "6s")),
				Integer.parseInt(given.getOrDefault("keys", quick ? "2000" : "100000")),
				Path.of(given.getOrDefault("output", "target/contention")));
		String page = given.get("page");
		return new Options(rows(given.get("rows")), candidates(given.get("contenders")), settings,
				(page != null) ? Path.of(page) : null, given.containsKey("tables"));
	}

	private static List<Row> rows(@Nullable String names) {
		return (names == null) ? Rows.all() : chosen(names).stream().map(Rows::named).toList();
	}

	private static List<Candidate> candidates(@Nullable String names) {
		return (names == null) ? Candidates.all() : chosen(names).stream().map(Candidates::named).toList();
	}

	private static List<String> chosen(String names) {
		return new ArrayList<>(List.of(names.split(",", -1)));
	}

	private static Duration duration(String text) {
		return Duration.parse("PT" + text);
	}

}
