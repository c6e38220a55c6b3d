package io.distributedlock.benchmarks.contention.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What was measured: lines of {@code results.csv} with row, contender, round, name and
 * value, and in {@code entries.csv} how many sections were entered until each moment. New
 * results replace those of the same row and contender.
 */
public final class Results {

	private static final String HEADER = "row,contender,round,name,value";

	private static final String ENTRIES_HEADER = "row,contender,round,millis,entries";

	private final Path folder;

	private final List<Value> values = new ArrayList<>();

	private final List<Value> entries = new ArrayList<>();

	private final List<String> replaced = new ArrayList<>();

	private Results(Path folder) {
		this.folder = folder;
	}

	public static Results in(Path folder) throws IOException {
		Files.createDirectories(folder.resolve("logs"));
		Results results = new Results(folder);
		read(folder.resolve("results.csv"), results.values);
		read(folder.resolve("entries.csv"), results.entries);
		return results;
	}

	public void add(String row, String contender, int round, String name, double value) {
		replace(row, contender);
		this.values.add(new Value(row, contender, round, name, value));
	}

	/**
	 * Add how many sections were entered until a moment.
	 */
	public void addEntries(String row, String contender, int round, long millis, long count) {
		replace(row, contender);
		this.entries.add(new Value(row, contender, round, Long.toString(millis), count));
	}

	private void replace(String row, String contender) {
		if (!this.replaced.contains(row + "," + contender)) {
			this.replaced.add(row + "," + contender);
			this.values.removeIf((value) -> value.row.equals(row) && value.contender.equals(contender));
			this.entries.removeIf((value) -> value.row.equals(row) && value.contender.equals(contender));
		}
	}

	/**
	 * Return whether this run has measured a contender in a row.
	 */
	public boolean isNew(String row, String contender) {
		return this.replaced.contains(row + "," + contender);
	}

	public void write() throws IOException {
		write(this.folder.resolve("results.csv"), HEADER, this.values);
		write(this.folder.resolve("entries.csv"), ENTRIES_HEADER, this.entries);
	}

	/**
	 * Return the values of a row by contender.
	 * @return for each contender the values of its rounds by name
	 */
	public Map<String, Map<String, double[]>> row(String row) {
		Map<String, Map<String, double[]>> found = new LinkedHashMap<>();
		for (Value value : this.values) {
			if (value.row.equals(row)) {
				found.computeIfAbsent(value.contender, (name) -> new LinkedHashMap<>())
					.merge(value.name, new double[] { value.value }, Results::join);
			}
		}
		return found;
	}

	/**
	 * Return how many sections a contender had entered, by the milliseconds since the
	 * beginning, in its median round.
	 */
	public Map<Long, Long> entries(String row, String contender) {
		Map<Integer, Map<Long, Long>> rounds = new LinkedHashMap<>();
		for (Value value : this.entries) {
			if (value.row.equals(row) && value.contender.equals(contender)) {
				rounds.computeIfAbsent(value.round, (round) -> new LinkedHashMap<>())
					.put(Long.valueOf(value.name), (long) value.value);
			}
		}
		List<Map<Long, Long>> sorted = new ArrayList<>(rounds.values());
		sorted.sort((a, b) -> Long.compare(last(a), last(b)));
		return sorted.isEmpty() ? Map.of() : sorted.get(sorted.size() / 2);
	}

	/**
	 * Return the median of the rounds.
	 */
	public static double median(double... values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

	private static long last(Map<Long, Long> counts) {
		return counts.values().stream().mapToLong(Long::longValue).max().orElse(0);
	}

	private static double[] join(double[] first, double[] second) {
		double[] both = Arrays.copyOf(first, first.length + second.length);
		System.arraycopy(second, 0, both, first.length, second.length);
		return both;
	}

	private static void read(Path file, List<Value> values) throws IOException {
		if (Files.exists(file)) {
			Files.readAllLines(file).stream().skip(1).map(Value::parse).forEach(values::add);
		}
	}

	private static void write(Path file, String header, List<Value> values) throws IOException {
		List<String> lines = new ArrayList<>(List.of(header));
		values.forEach((value) -> lines.add(value.line()));
		Files.write(file, lines);
	}

	private record Value(String row, String contender, int round, String name, double value) {

		private static Value parse(String line) {
			String[] parts = line.split(",", -1);
			return new Value(parts[0], parts[1], Integer.parseInt(parts[2]), parts[3], Double.parseDouble(parts[4]));
		}

		private String line() {
			return String.format(Locale.ROOT, "%s,%s,%s,%s,%.4f", this.row, this.contender, this.round, this.name,
					this.value);
		}

	}

}
