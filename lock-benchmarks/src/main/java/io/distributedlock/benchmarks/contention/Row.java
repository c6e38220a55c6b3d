package io.distributedlock.benchmarks.contention;

import java.util.List;

/**
 * One kind of measurement, which becomes one table.
 */
interface Row {

	String name();

	/**
	 * Return the heading of the table.
	 */
	String title();

	/**
	 * Return what the table shows.
	 */
	List<Column> columns();

	/**
	 * Return whether a contender takes part.
	 */
	boolean admits(Candidate candidate);

	/**
	 * Measure the contenders, in turns.
	 */
	void measure(List<Candidate> candidates, Servers servers, Settings settings, Results results) throws Exception;

	/**
	 * A column of a table.
	 *
	 * @param value the name of the value
	 * @param title the heading
	 * @param format how to print the value
	 * @param spread what of several rounds is shown
	 */
	record Column(String value, String title, String format, Spread spread) {

		Column(String value, String title, String format) {
			this(value, title, format, Spread.RANGE);
		}

		/**
		 * Return what the table shows.
		 * @param values the values of the rounds
		 */
		String cell(double... values) {
			return this.spread.print(this.format, values);
		}

	}

}
