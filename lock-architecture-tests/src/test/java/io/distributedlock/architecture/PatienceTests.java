package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One constant says how long a test waits for what must happen, and it can be multiplied.
 * A test with a number of its own is red on a busy machine.
 */
class PatienceTests {

	private static final Pattern IMPATIENT = Pattern.compile(
			"org\\.awaitility\\.Awaitility|(succeedsWithin|failsWithin)\\((Duration\\.|\\d)|atMost\\(\\d|atMost\\(Duration\\."
					+ "|\\.(get|await|waitFor|join|awaitTermination)\\(\\d+, *TimeUnit|orTimeout\\(\\d+, *TimeUnit\\.SECONDS"
					// a statement on a busy machine may take longer than the default
					// time-out of a command
					+ "|JdbcLockSettings\\.of\\((?!.*withCommandTimeout)");

	@Test
	void testsWaitAsLongAsPatienceSays() {
		List<String> found = new ArrayList<>();
		for (Path file : ProjectFiles.withExtension("java", "kt")) {
			String path = ProjectFiles.ROOT.relativize(file).toString();
			if (path.contains("src/test") && !file.endsWith("PatienceTests.java")) {
				ProjectFiles.read(file)
					.lines()
					.filter((line) -> IMPATIENT.matcher(line).find())
					.forEach((line) -> found.add(path + ": " + line.strip()));
			}
		}
		assertThat(found).as("wait with Patience").isEmpty();
	}

}
