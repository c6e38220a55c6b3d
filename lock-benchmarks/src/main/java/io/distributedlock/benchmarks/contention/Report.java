package io.distributedlock.benchmarks.contention;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.measure.Results;
import io.distributedlock.benchmarks.contention.measure.Row;
import io.distributedlock.benchmarks.contention.measure.Rows;
import org.jspecify.annotations.Nullable;

/**
 * Writes the tables and the pictures.
 *
 * @param results what was measured
 */
record Report(Results results) {

	/**
	 * The row of the pictures.
	 */
	private static final Row DRAWN = Rows.named("three-jvms");

	/**
	 * Write the report into a folder, and into a page if there is one.
	 */
	void write(Path folder, @Nullable Path page) throws IOException {
		StringBuilder tables = new StringBuilder();
		for (Row row : Rows.all()) {
			String table = table(row);
			if (!table.isEmpty()) {
				tables.append("## ").append(row.title()).append("\n\n").append(table).append('\n');
				if (page != null) {
					replace(page, row.name(), table);
				}
			}
		}
		Files.writeString(folder.resolve("tables.md"), tables);
		write(folder, page, "contention.svg", new Picture(this.results, DRAWN).svg());
		write(folder, page, "waits.svg", new WaitPicture(this.results, DRAWN).svg());
	}

	private static void write(Path folder, @Nullable Path page, String name, String picture) throws IOException {
		Files.writeString(folder.resolve(name), picture);
		if (page != null && Files.readString(page).contains(name) && picture.contains("<polyline")) {
			Files.writeString(page.resolveSibling(name), picture);
		}
	}

	private String table(Row row) {
		Map<String, Map<String, double[]>> measured = this.results.row(row.name());
		if (measured.isEmpty()) {
			return "";
		}
		List<String> lines = new ArrayList<>();
		lines.add("| | " + String.join(" | ", row.columns().stream().map(Row.Column::title).toList()) + " |");
		lines.add("| --- |" + " --- |".repeat(row.columns().size()));
		for (Candidate candidate : Candidates.all()) {
			Map<String, double[]> values = measured.get(candidate.name());
			if (values != null && row.admits(candidate)) {
				lines.add("| " + title(candidate, measured.keySet()) + " | " + String.join(" | ",
						row.columns().stream().map((column) -> cell(column, values.get(column.value()))).toList())
						+ " |");
			}
		}
		return String.join("\n", lines) + "\n";
	}

	/**
	 * Return the title, with the backend if another contender of the table has the same.
	 */
	private static String title(Candidate candidate, Set<String> measured) {
		boolean unique = Candidates.all()
			.stream()
			.filter((other) -> measured.contains(other.name()) && other.title().equals(candidate.title()))
			.count() == 1;
		return unique ? candidate.title() : candidate.title() + ", " + candidate.backend().title();
	}

	private static String cell(Row.Column column, double @Nullable [] values) {
		return (values != null) ? column.cell(values) : "–";
	}

	/**
	 * Replace what stands between the two comments that name a row.
	 */
	private static void replace(Path page, String row, String table) throws IOException {
		String text = Files.readString(page);
		String begin = "<!-- measured: " + row + " -->\n";
		int from = text.indexOf(begin);
		int until = text.indexOf("<!-- end -->", Math.max(0, from));
		if (from >= 0 && until >= 0) {
			Files.writeString(page,
					text.substring(0, from + begin.length()) + "\n" + table + "\n" + text.substring(until));
		}
	}

}
