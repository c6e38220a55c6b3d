package io.distributedlock.benchmarks.contention;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.measure.Results;
import io.distributedlock.benchmarks.contention.measure.Row;

/**
 * Draws how many sections each contender has entered over time: the steeper a line, the
 * faster the key goes from owner to owner; where it is flat, nobody works.
 *
 * @param results what was measured
 * @param row the row
 */
record Picture(Results results, Row row) {

	private static final int HEIGHT = 460;

	private static final int LEFT = 60;

	private static final int RIGHT = 250;

	private static final int TOP = 24;

	private static final int BOTTOM = 40;

	private static final int LABEL_HEIGHT = 16;

	String svg() {
		List<Line> lines = lines();
		long maxMillis = lines.stream().mapToLong(Line::lastMillis).max().orElse(1);
		long maxEntries = lines.stream().mapToLong(Line::lastEntries).max().orElse(1);
		Svg svg = new Svg(HEIGHT, "Sections entered over time");
		grid(svg, maxMillis, maxEntries);
		double[] labels = labels(lines, maxEntries);
		for (int i = 0; i < labels.length; i++) {
			lines.get(i).draw(svg, maxMillis, maxEntries, labels[i]);
		}
		return svg.toString();
	}

	private List<Line> lines() {
		List<Line> lines = new ArrayList<>();
		for (Candidate candidate : Candidates.all()) {
			Map<Long, Long> entries = this.results.entries(this.row.name(), candidate.name());
			if (!entries.isEmpty() && this.row.admits(candidate)) {
				lines.add(new Line(candidate, Svg.colour(lines.size()), entries));
			}
		}
		lines.sort(Comparator.comparingLong(Line::lastEntries).reversed());
		return lines;
	}

	/**
	 * Return the heights of the labels: those of the ends of the lines, moved apart so
	 * that they can be read.
	 */
	private static double[] labels(List<Line> lines, long maxEntries) {
		double[] labels = lines.stream().mapToDouble((line) -> y(line.lastEntries(), maxEntries)).toArray();
		double lowest = HEIGHT - LABEL_HEIGHT;
		for (int i = labels.length - 1; i >= 0; i--) {
			labels[i] = Math.min(labels[i], lowest);
			lowest = labels[i] - LABEL_HEIGHT;
		}
		double highest = LABEL_HEIGHT / 2.0;
		for (int i = 0; i < labels.length; i++) {
			labels[i] = Math.max(labels[i], highest);
			highest = labels[i] + LABEL_HEIGHT;
		}
		return labels;
	}

	private static void grid(Svg svg, long maxMillis, long maxEntries) {
		long step = step(maxEntries);
		for (long entries = 0; entries <= maxEntries; entries += step) {
			double y = y(entries, maxEntries);
			svg.add("<line x1='%s' y1='%.1f' x2='%s' y2='%.1f' stroke='%s' stroke-opacity='0.35'/>", LEFT, y,
					Svg.WIDTH - RIGHT, y, Svg.GREY);
			svg.add("<text x='%s' y='%.1f' text-anchor='end' fill='%s'>%,d</text>", LEFT - 6, y + 4, Svg.GREY, entries);
		}
		for (long millis = 0; millis <= maxMillis; millis += 1000) {
			svg.add("<text x='%.1f' y='%s' text-anchor='middle' fill='%s'>%s s</text>", x(millis, maxMillis),
					HEIGHT - BOTTOM + 18, Svg.GREY, millis / 1000);
		}
		svg.add("<text x='%s' y='14' fill='%s'>sections entered</text>", LEFT, Svg.GREY);
	}

	/**
	 * Return a round number that makes four to ten lines.
	 */
	private static long step(long max) {
		long step = 1;
		while (max / step > 10) {
			boolean two = Long.toString(step).startsWith("2");
			step = two ? step / 2 * 5 : step * 2;
		}
		return step;
	}

	private static double x(long millis, long max) {
		return LEFT + (double) millis / Math.max(1, max) * (Svg.WIDTH - LEFT - RIGHT);
	}

	private static double y(long entries, long max) {
		return HEIGHT - BOTTOM - (double) entries / Math.max(1, max) * (HEIGHT - TOP - BOTTOM);
	}

	/**
	 * The line of one contender.
	 *
	 * @param candidate the contender
	 * @param colour its colour
	 * @param entries how many sections were entered, by milliseconds
	 */
	private record Line(Candidate candidate, String colour, Map<Long, Long> entries) {

		private long lastMillis() {
			return this.entries.keySet().stream().mapToLong(Long::longValue).max().orElse(0);
		}

		private long lastEntries() {
			return this.entries.values().stream().mapToLong(Long::longValue).max().orElse(0);
		}

		private void draw(Svg svg, long maxMillis, long maxEntries, double labelY) {
			StringBuilder points = new StringBuilder();
			this.entries.forEach((millis, count) -> points
				.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(millis, maxMillis), y(count, maxEntries))));
			boolean ours = this.candidate.is(Candidate.Trait.OURS);
			String dashes = this.candidate.is(Candidate.Trait.LIMIT) ? " stroke-dasharray='5 4'" : "";
			svg.add("<polyline fill='none' stroke='%s' stroke-width='%s'%s points='%s'/>", this.colour,
					ours ? "3" : "1.5", dashes, points.toString().trim());
			double endY = y(lastEntries(), maxEntries);
			svg.add("<line x1='%s' y1='%.1f' x2='%s' y2='%.1f' stroke='%s' stroke-opacity='0.5'/>", Svg.WIDTH - RIGHT,
					endY, Svg.WIDTH - RIGHT + 14, labelY, this.colour);
			svg.add("<text x='%s' y='%.1f' fill='%s'%s>%s</text>", Svg.WIDTH - RIGHT + 18, labelY + 4, this.colour,
					ours ? " font-weight='bold'" : "", this.candidate.plainTitle());
		}

	}

}
