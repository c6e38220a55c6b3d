package io.distributedlock.benchmarks.contention;

import java.io.IOException;
import java.util.List;

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
		System.exit(run(args) ? 0 : 2);
	}

	/**
	 * Measure, and write the tables.
	 * @return {@code false} if the options cannot be understood
	 */
	static boolean run(String... args) throws Exception {
		Options options = Options.parse(args);
		if (options == null) {
			Progress.say(Options.HELP);
			return false;
		}
		Results results = Results.in(options.settings().output());
		if (!options.tablesOnly()) {
			measure(options, results);
		}
		new Report(results).write(options.settings().output(), options.page());
		return true;
	}

	private static void measure(Options options, Results results) throws Exception {
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
			}
		}
	}

}
