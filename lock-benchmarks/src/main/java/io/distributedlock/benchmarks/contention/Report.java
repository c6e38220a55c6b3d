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
 * Writes the tables and the picture.
 *
 * @param results what was measured
 */
record Report(Results results) {

	private static final String PICTURE = "contention.svg";

	private static final Row PICTURE_ROW = Rows.named("three-jvms");

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
		String picture = new Picture(this.results, PICTURE_ROW).svg();
		Files.writeString(folder.resolve(PICTURE), picture);
		if (page != null && Files.readString(page).contains(PICTURE) && picture.contains("<polyline")) {
			Files.writeString(page.resolveSibling(PICTURE), picture);
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
