package io.distributedlock.benchmarks.contention;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.measure.Results;
import io.distributedlock.benchmarks.contention.measure.Row;

/**
 * Draws how long callers have waited: for each contender a line from the wait that 99 of
 * 100 do not exceed to the longest one. The scale is logarithmic, as these waits are of
 * milliseconds and of seconds.
 *
 * @param results what was measured
 * @param row the row
 */
record WaitPicture(Results results, Row row) {

	private static final int LEFT = 210;

	private static final int RIGHT = 80;

	private static final int TOP = 44;

	private static final int BOTTOM = 30;

	private static final int LINE_HEIGHT = 22;

	private static final int RADIUS = 4;

	String svg() {
		List<Wait> waits = waits();
		int bottom = TOP + waits.size() * LINE_HEIGHT;
		Svg svg = new Svg(bottom + BOTTOM, "Waits for a busy key");
		long shortest = waits.stream().mapToLong(Wait::usual).min().orElse(1);
		long longest = waits.stream().mapToLong(Wait::longest).max().orElse(1);
		Scale scale = new Scale(Math.max(1, shortest), Math.max(2, longest));
		svg.add("<text x='%s' y='14' fill='%s'>waits in milliseconds: ○ 99 of 100 are shorter, ● the longest</text>",
				LEFT, Svg.GREY);
		for (long millis : scale.marks()) {
			svg.add("<line x1='%.1f' y1='%s' x2='%.1f' y2='%s' stroke='%s' stroke-opacity='0.35'/>", scale.x(millis),
					TOP - 12, scale.x(millis), bottom, Svg.GREY);
			svg.add("<text x='%.1f' y='%s' text-anchor='middle' fill='%s'>%,d</text>", scale.x(millis), bottom + 18,
					Svg.GREY, millis);
		}
		for (int i = 0; i < waits.size(); i++) {
			waits.get(i).draw(svg, scale, TOP + i * LINE_HEIGHT);
		}
		return svg.toString();
	}

	private List<Wait> waits() {
		Map<String, Map<String, double[]>> measured = this.results.row(this.row.name());
		List<Wait> waits = new ArrayList<>();
		for (Candidate candidate : Candidates.all()) {
			Map<String, double[]> values = measured.getOrDefault(candidate.name(), Map.of());
			double[] usual = values.get("wait-p99");
			double[] longest = values.get("wait-max");
			if (usual != null && longest != null && this.row.admits(candidate)) {
				waits.add(new Wait(candidate, Svg.colour(waits.size()), Math.round(Results.median(usual)),
						Math.round(Results.median(longest))));
			}
		}
		waits.sort(Comparator.comparingLong(Wait::longest));
		return waits;
	}

	/**
	 * Where a time is drawn.
	 *
	 * @param shortest the shortest time in milliseconds
	 * @param longest the longest time in milliseconds
	 */
	private record Scale(long shortest, long longest) {

		double x(long millis) {
			double part = Math.log((double) Math.max(millis, this.shortest) / this.shortest)
					/ Math.log((double) this.longest / this.shortest);
			return LEFT + part * (Svg.WIDTH - LEFT - RIGHT);
		}

		/**
		 * Return the times with a line of their own: 1, 2, 5, 10 and so on.
		 */
		List<Long> marks() {
			List<Long> marks = new ArrayList<>();
			for (long ten = 1; ten <= this.longest; ten *= 10) {
				for (long mark : List.of(ten, 2 * ten, 5 * ten)) {
					if (mark >= this.shortest && mark <= this.longest) {
						marks.add(mark);
					}
				}
			}
			return marks;
		}

	}

	/**
	 * The waits of one contender.
	 *
	 * @param candidate the contender
	 * @param colour its colour
	 * @param usual what 99 of 100 waits do not exceed, in milliseconds
	 * @param longest the longest wait in milliseconds
	 */
	private record Wait(Candidate candidate, String colour, long usual, long longest) {

		private void draw(Svg svg, Scale scale, int y) {
			boolean ours = this.candidate.is(Candidate.Trait.OURS);
			String weight = ours ? " font-weight='bold'" : "";
			svg.add("<text x='%s' y='%s' text-anchor='end' fill='%s'%s>%s</text>", LEFT - 14, y + 4, this.colour,
					weight, this.candidate.plainTitle());
			svg.add("<polyline fill='none' stroke='%s' stroke-width='%s' points='%.1f,%s %.1f,%s'/>", this.colour,
					ours ? "3" : "1.5", scale.x(this.usual) + RADIUS, y, scale.x(this.longest), y);
			svg.add("<circle cx='%.1f' cy='%s' r='%s' fill='none' stroke='%s' stroke-width='1.5'/>",
					scale.x(this.usual), y, RADIUS, this.colour);
			svg.add("<circle cx='%.1f' cy='%s' r='%s' fill='%s'/>", scale.x(this.longest), y, RADIUS + 1, this.colour);
			svg.add("<text x='%.1f' y='%s' fill='%s'%s>%,d</text>", scale.x(this.longest) + 10, y + 4, this.colour,
					weight, this.longest);
		}

	}

}
