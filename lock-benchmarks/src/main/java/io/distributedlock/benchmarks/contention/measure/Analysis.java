package io.distributedlock.benchmarks.contention.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.distributedlock.benchmarks.contention.worker.Recording.Section;

/**
 * Computes from the sections of all JVMs how fast a contender was, and how fair.
 */
final class Analysis {

	/**
	 * A caller who asked later than another one by less than this may have reached the
	 * server before it.
	 */
	private static final long TOGETHER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final List<Section> all;

	private final List<Section> entered;

	private final long from;

	private final long until;

	private final int threads;

	Analysis(List<Section> sections, long from, long until, int threads) {
		this.all = new ArrayList<>(sections);
		this.all.sort(Comparator.comparingLong(Section::entered));
		this.entered = this.all.stream()
			.filter((section) -> section.entered() - from >= 0 && section.entered() - until < 0)
			.toList();
		this.from = from;
		this.until = until;
		this.threads = threads;
	}

	int entries() {
		return this.entered.size();
	}

	Map<String, Double> values() {
		Map<String, Double> values = new LinkedHashMap<>();
		values.put("inside", 100 * inside());
		values.put("entries-per-second", entriesPerSecond());
		values.put("crossing", 100 * crossing());
		long[] waits = this.entered.stream()
			.mapToLong((section) -> section.entered() - section.asked())
			.sorted()
			.toArray();
		values.put("wait-p50", percentile(waits, 50));
		values.put("wait-p99", percentile(waits, 99));
		values.put("wait-max", percentile(waits, 100));
		long[] served = new long[this.threads];
		this.entered.forEach((section) -> served[section.thread()]++);
		Arrays.sort(served);
		values.put("most-served", (double) served[this.threads - 1]);
		values.put("least-served", (double) served[0]);
		// a thread that was never served counts as half served
		values.put("most-to-least", served[this.threads - 1] / Math.max(0.5, (double) served[0]));
		values.put("longest-free", longestFree());
		values.put("pass-micros", median(gaps(false)));
		values.put("hand-over-micros", median(gaps(true)));
		values.put("overtaken", 100.0 * overtaken() / Math.max(1, this.all.size()));
		return values;
	}

	/**
	 * Return how many sections had been entered, by the milliseconds since the beginning.
	 */
	Map<Long, Long> entriesOverTime(long step) {
		Map<Long, Long> counts = new TreeMap<>();
		int at = 0;
		for (long millis = 0; millis <= TimeUnit.NANOSECONDS.toMillis(this.until - this.from); millis += step) {
			long moment = this.from + TimeUnit.MILLISECONDS.toNanos(millis);
			while (at < this.entered.size() && this.entered.get(at).entered() - moment < 0) {
				at++;
			}
			counts.put(millis, (long) at);
		}
		return counts;
	}

	private double inside() {
		double inside = 0;
		for (Section section : this.all) {
			inside += Math.max(0, Math.min(section.left(), this.until) - Math.max(section.entered(), this.from));
		}
		return inside / (this.until - this.from);
	}

	private double entriesPerSecond() {
		return entries() * 1e9 / (this.until - this.from);
	}

	private double crossing() {
		int crossing = 0;
		for (int i = 1; i < this.entered.size(); i++) {
			crossing += (this.entered.get(i).jvm() != this.entered.get(i - 1).jvm()) ? 1 : 0;
		}
		return crossing / (double) Math.max(1, entries() - 1);
	}

	/**
	 * Return for how many milliseconds nobody was inside.
	 */
	private double longestFree() {
		long longest = 0;
		long free = this.from;
		for (Section section : this.entered) {
			longest = Math.max(longest, section.entered() - free);
			free = section.left();
		}
		return Math.max(longest, this.until - free) / 1e6;
	}

	/**
	 * Return the times from the end of one section to the begin of the next one, sorted.
	 * @param crossing those between JVMs, or those inside one
	 */
	private long[] gaps(boolean crossing) {
		return IntStream.range(1, entries())
			.filter((i) -> crossing == (this.entered.get(i).jvm() != this.entered.get(i - 1).jvm()))
			.mapToLong((i) -> this.entered.get(i).entered() - this.entered.get(i - 1).left())
			.sorted()
			.toArray();
	}

	private static double median(long[] sorted) {
		return percentile(sorted, 50) * 1000;
	}

	/**
	 * Return how many sections were entered while another caller waited who had asked
	 * clearly earlier. Only each thread's next section is compared.
	 */
	private int overtaken() {
		long[] askedNext = new long[this.threads];
		Arrays.fill(askedNext, Long.MAX_VALUE);
		int overtaken = 0;
		for (int i = this.all.size() - 1; i >= 0; i--) {
			Section section = this.all.get(i);
			boolean overtakes = false;
			for (long asked : askedNext) {
				overtakes |= asked < section.asked() - TOGETHER_NANOS;
			}
			overtaken += overtakes ? 1 : 0;
			askedNext[section.thread()] = section.asked();
		}
		return overtaken;
	}

	private static double percentile(long[] sorted, int percent) {
		int index = (int) Math.ceil(percent / 100.0 * sorted.length) - 1;
		return (sorted.length == 0) ? 0 : sorted[Math.max(0, index)] / 1e6;
	}

	@Override
	public String toString() {
		Map<String, Double> values = values();
		return String.format(Locale.ROOT,
				"inside %.0f %%, %.0f a second, crossing %.0f %% in %.0f µs, passed on in %.0f µs, wait p99 %.0f ms, max %.0f ms, served %.0f to %.0f",
				values.get("inside"), values.get("entries-per-second"), values.get("crossing"),
				values.get("hand-over-micros"), values.get("pass-micros"), values.get("wait-p99"),
				values.get("wait-max"), values.get("least-served"), values.get("most-served"));
	}

}
