package io.distributedlock.benchmarks.contention;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.measure.Results;
import io.distributedlock.benchmarks.contention.measure.Row;
import io.distributedlock.benchmarks.contention.measure.Rows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The picture of the page shows the waits of its table.
 */
class WaitPictureTests {

	private static final Path DOCS = Path.of("../docs");

	private static final Row ROW = Rows.named("three-jvms");

	@Test
	void pictureShowsTheTable(@TempDir Path folder) throws Exception {
		Results results = Results.in(folder);
		List<List<String>> table = table();
		for (List<String> cells : table.subList(2, table.size())) {
			String candidate = candidate(cells.get(1));
			results.add(ROW.name(), candidate, 1, "wait-p99", median(cells.get(table.get(0).indexOf("wait p99, ms"))));
			results.add(ROW.name(), candidate, 1, "wait-max",
					median(cells.get(table.get(0).indexOf("longest wait, ms"))));
		}
		Path drawn = Files.writeString(Path.of("target/waits.svg"), new WaitPicture(results, ROW).svg());
		assertThat(DOCS.resolve("waits.svg")).as("the table is newer: copy " + drawn.toAbsolutePath())
			.hasSameTextualContentAs(drawn);
	}

	private static List<List<String>> table() throws Exception {
		String page = Files.readString(DOCS.resolve("performance.md"));
		String rest = page.substring(page.indexOf("<!-- measured: " + ROW.name() + " -->"));
		return rest.substring(0, rest.indexOf("<!-- end -->"))
			.lines()
			.filter((line) -> line.startsWith("|"))
			.map((line) -> Arrays.stream(line.split("\\|", -1)).map(String::trim).toList())
			.toList();
	}

	private static String candidate(String title) {
		return Candidates.all()
			.stream()
			.filter((candidate) -> candidate.title().equals(title) && ROW.admits(candidate))
			.map(Candidate::name)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Return the number of a cell, without the range of the rounds.
	 */
	private static double median(String cell) {
		return Double.parseDouble(cell.split(" ", 2)[0]);
	}

}
