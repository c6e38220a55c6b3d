package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No text depends on the locale of the JVM: {@code %d} writes other digits in some, which
 * no database and no script understands. {@code %s} writes a number as it is.
 */
class LocaleTests {

	private static final Pattern LOCALIZED = Pattern.compile("%(\\d+\\$)?[-#+0,(]*\\d*(\\.\\d+)?([defg]|[tT][a-zA-Z])");

	@Test
	void noTextDependsOnTheLocale() throws Exception {
		List<String> found = new ArrayList<>();
		for (Path file : ProjectFiles.withExtension("java")) {
			String path = ProjectFiles.ROOT.relativize(file).toString();
			if (path.contains("src/main") && !path.matches("lock-benchmarks/.*")) {
				ProjectFiles.read(file)
					.lines()
					// a pattern or a format of Lua
					.filter((line) -> !line.contains("string.") && LOCALIZED.matcher(line).find())
					.forEach((line) -> found.add(path + ": " + line.strip()));
			}
		}
		assertThat(found).as("write %s instead of %d").isEmpty();
	}

}
