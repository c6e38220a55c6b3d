package io.distributedlock.benchmarks.contention.measure;

import java.util.Arrays;
import java.util.Locale;

/**
 * What a table shows of the values of several rounds.
 */
enum Spread {

	/**
	 * The median, the lowest and the highest value.
	 */
	RANGE {

		@Override
		String print(String format, double... values) {
			return median(format, values, 0);
		}

	},

	/**
	 * The median and both quartiles, for short slices of which some are disturbed.
	 */
	QUARTILES {

		@Override
		String print(String format, double... values) {
			return median(format, values, values.length / 4);
		}

	},

	/**
	 * The sum, for what no round may have.
	 */
	SUM {

		@Override
		String print(String format, double... values) {
			return text(format, Arrays.stream(values).sum());
		}

	};

	abstract String print(String format, double... values);

	/**
	 * Return the median, and how far the others are from it where they differ.
	 * @param leftOut how many values to leave out at each end
	 */
	private static String median(String format, double[] values, int leftOut) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		String median = text(format, Results.median(values));
		String lower = text(format, sorted[leftOut]);
		String upper = text(format, sorted[sorted.length - 1 - leftOut]);
		return lower.equals(upper) ? median
				: "%s (%s–%s)".formatted(median, lower.replace(" %", ""), upper.replace(" %", ""));
	}

	private static String text(String format, double value) {
		return String.format(Locale.ROOT, format, value);
	}

}
