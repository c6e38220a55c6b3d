package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Words that were replaced by the field's own do not come back, in code and in docs.
 */
class WordsTests {

	@ParameterizedTest
	@CsvSource({ "to be had, available", "not be had, not available", "in the clothes of, adapted to",
			"what is there twice, duplicates", "have the lease run, make the lease end" })
	void retiredWordIsNotUsed(String retired, String replacement) {
		List<Path> found = new ArrayList<>();
		for (Path file : sources()) {
			if (text(file).contains(retired)) {
				found.add(ProjectFiles.ROOT.relativize(file));
			}
		}
		assertThat(found).as("write '%s' and not '%s'", replacement, retired).isEmpty();
	}

	/**
	 * Return the text of a file as it is read: sentences go on over lines and over the
	 * asterisks of comments.
	 */
	private static String text(Path file) {
		return ProjectFiles.read(file).replaceAll("\\s+(\\*\\s+)?", " ").toLowerCase(Locale.ROOT);
	}

	/**
	 * The glossary says which words are retired, and by which they are replaced.
	 */
	private static List<Path> sources() {
		String own = WordsTests.class.getSimpleName() + ".java";
		return ProjectFiles.withExtension("java", "kt", "md", "json", "xml")
			.stream()
			.filter((file) -> !file.endsWith(own) && !file.endsWith("glossary.md"))
			.toList();
	}

}
