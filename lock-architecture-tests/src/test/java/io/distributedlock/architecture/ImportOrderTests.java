package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Imports stand in the order of Spring's own code, which the formatter does not check.
 */
class ImportOrderTests {

	private static final Pattern IMPORT = Pattern.compile("(?m)^import (?!static )(\\S+);$");

	/**
	 * What the names of each group begin with.
	 */
	private static final List<String> GROUPS = List.of("java.", "javax.", "(others)", "org.springframework.");

	private static final Comparator<String> ORDER = Comparator.comparingInt(ImportOrderTests::group)
		.thenComparing(Comparator.naturalOrder());

	@Test
	void importsAreSorted() {
		for (Path file : ProjectFiles.withExtension("java")) {
			List<String> imports = IMPORT.matcher(ProjectFiles.read(file))
				.results()
				.map((found) -> found.group(1))
				.toList();
			assertThat(imports).as(file.toString()).isSortedAccordingTo(ORDER);
		}
	}

	private static int group(String name) {
		return IntStream.range(0, GROUPS.size()).filter((i) -> name.startsWith(GROUPS.get(i))).findFirst().orElse(2);
	}

}
