package io.distributedlock.benchmarks.contention.measure;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;

import io.distributedlock.benchmarks.contention.worker.Recording;
import io.distributedlock.benchmarks.contention.worker.Recording.Section;

/**
 * Computes from the sections of all JVMs, and from the numbers that only the lock
 * protected, whether the lock kept others out.
 */
public final class Exclusion {

	public static final String LOST = "lost-updates";

	public static final String OVERLAPS = "overlaps";

	public static final String TOKENS = "tokens-not-risen";

	private final Map<Integer, List<Section>> byKey;

	private final long increments;

	private final long counted;

	/**
	 * Compare what the threads did with what is left of it.
	 * @param sections the sections
	 * @param increments how many increments the threads have made
	 * @param counted how many of them are in the numbers at the end
	 */
	Exclusion(List<Section> sections, long increments, long counted) {
		this.byKey = sections.stream()
			.sorted(Comparator.comparingLong(Section::entered))
			.collect(Collectors.groupingBy(Section::key));
		this.increments = increments;
		this.counted = counted;
	}

	Map<String, Double> values() {
		Map<String, Double> values = new LinkedHashMap<>();
		values.put("increments", (double) this.increments);
		values.put(LOST, (double) lost());
		values.put(OVERLAPS, (double) overlaps());
		tokensThatDidNotRise().ifPresent((count) -> values.put(TOKENS, (double) count));
		return values;
	}

	long lost() {
		// a thread that did not end may have written one that it has not reported
		return Math.max(0, this.increments - this.counted);
	}

	/**
	 * Return how many sections began before another one of their key had ended.
	 */
	int overlaps() {
		return this.byKey.values().stream().mapToInt(Exclusion::overlaps).sum();
	}

	private static int overlaps(List<Section> sections) {
		int overlaps = 0;
		long last = Long.MIN_VALUE;
		for (Section section : sections) {
			overlaps += (section.entered() < last) ? 1 : 0;
			last = Math.max(last, section.left());
		}
		return overlaps;
	}

	/**
	 * Return how many sections did not have a higher fencing token than all earlier ones
	 * of their key.
	 * @return empty if the contender has no tokens
	 */
	OptionalInt tokensThatDidNotRise() {
		boolean tokens = this.byKey.values()
			.stream()
			.flatMap(List::stream)
			.anyMatch((section) -> section.token() != Recording.NO_TOKEN);
		return tokens ? OptionalInt.of(this.byKey.values().stream().mapToInt(Exclusion::tokensThatDidNotRise).sum())
				: OptionalInt.empty();
	}

	private static int tokensThatDidNotRise(List<Section> sections) {
		int count = 0;
		long highest = Recording.NO_TOKEN;
		for (Section section : sections) {
			count += (section.token() <= highest) ? 1 : 0;
			highest = Math.max(highest, section.token());
		}
		return count;
	}

	@Override
	public String toString() {
		OptionalInt tokens = tokensThatDidNotRise();
		return String.format(Locale.ROOT, "%,d increments, %,d lost, %,d overlaps, %s", this.increments, lost(),
				overlaps(),
				tokens.isPresent() ? "%,d tokens that did not rise".formatted(tokens.getAsInt()) : "no fencing tokens");
	}

}
