package io.distributedlock.benchmarks.contention;

import java.util.List;

/**
 * The command. Without options it measures all contenders in all rows, which takes hours.
 * {@link Options} are listed by {@code --help}.
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
		Options options = Options.parse(args);
		if (options == null) {
			Progress.say(Options.HELP);
			System.exit(2);
			return;
		}
		Results results = Results.in(options.settings().output());
		if (!options.tablesOnly()) {
			measure(options, results);
		}
		new Report(results).write(options.settings().output(), options.page());
		System.exit(0);
	}

	private static void measure(Options options, Results results) throws Exception {
		try (Servers servers = new Servers()) {
			for (Row row : options.rows()) {
				List<Candidate> candidates = options.candidates().stream().filter(row::admits).toList();
				row.measure(candidates, servers, options.settings(), results);
				results.write();
			}
		}
	}

}
