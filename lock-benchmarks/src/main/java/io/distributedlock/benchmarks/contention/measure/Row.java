package io.distributedlock.benchmarks.contention.measure;

import java.util.List;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.server.Servers;

/**
 * One kind of measurement, which becomes one table.
 */
public interface Row {

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
		public String cell(double... values) {
			return this.spread.print(this.format, values);
		}

	}

}
