package io.distributedlock.benchmarks.contention;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.measure.Progress;
import io.distributedlock.benchmarks.contention.measure.Results;
import io.distributedlock.benchmarks.contention.measure.Row;
import io.distributedlock.benchmarks.contention.server.Servers;

/**
 * The command. Without options it measures all contenders in all rows, which takes hours.
 * {@code --help} lists the options.
 */
public final class Contention {

	private Contention() {
	}

	/**
	 * Measure, and write the tables.
	 * @param args the options
	 * @throws Exception if the run fails as a whole
	 */
	public static void main(String[] args) throws Exception {
		System.exit(run(args));
	}

	/**
	 * Measure, and write the tables.
	 * @return the exit status: 1 if a lock did not keep others out or could not be
	 * measured, 2 if the options cannot be understood
	 */
	static int run(String... args) throws Exception {
		Options options = Options.parse(args);
		if (options == null) {
			Progress.say(Options.HELP);
			return 2;
		}
		Results results = Results.in(options.settings().output());
		List<String> complaints = options.tablesOnly() ? List.of() : measure(options, results);
		new Report(results).write(options.settings().output(), options.page());
		complaints.forEach((complaint) -> Progress.say("WRONG: %s", complaint));
		return complaints.isEmpty() ? 0 : 1;
	}

	private static List<String> measure(Options options, Results results) throws Exception {
		List<String> complaints = new ArrayList<>();
		try (Servers servers = new Servers()) {
			for (Row row : options.rows()) {
				List<Candidate> candidates = options.candidates().stream().filter(row::admits).toList();
				try {
					row.measure(candidates, servers, options.settings(), results);
				}
				catch (IOException | RuntimeException ex) {
					// such as a server that this machine does not have: the other rows go
					// on
					Progress.say("%s: %s", row.name(), ex);
				}
				results.write();
				complaints.addAll(new Verdict(results).complaints(row, candidates));
			}
		}
		return complaints;
	}

}
