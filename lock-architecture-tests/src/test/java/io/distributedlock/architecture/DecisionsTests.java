package io.distributedlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of docs/decisions have one form, and classes that embody them refer to them.
 */
class DecisionsTests {

	private static final Path FOLDER = ProjectFiles.ROOT.resolve("docs/decisions");

	private static final Pattern FILE_NAME = Pattern.compile("\\d{3}-[a-z0-9-]+\\.md");

	private static final Pattern SECTION = Pattern.compile("(?m)^## (.+)\n\n(?!#).+");

	/**
	 * How a comment in the code refers to a page.
	 */
	private static final Pattern REFERENCE = Pattern.compile("docs/decisions/([\\w-]+\\.md)");

	@TestFactory
	List<DynamicTest> pageHasItsSections() throws IOException {
		List<DynamicTest> tests = pages().stream()
			.map((page) -> DynamicTest.dynamicTest(page.getFileName().toString(),
					() -> requireForm(ProjectFiles.read(page))))
			.toList();
		assertThat(tests).hasSizeGreaterThan(20);
		return tests;
	}

	@Test
	void codeRefersToEachPageAndToNoOther() throws IOException {
		Set<String> references = new TreeSet<>();
		for (Path source : ProjectFiles.withExtension("java", "kt")) {
			REFERENCE.matcher(ProjectFiles.read(source)).results().forEach((found) -> references.add(found.group(1)));
		}
		assertThat(references).as("pages that the Javadoc of classes names")
			.containsExactlyInAnyOrderElementsOf(
					pages().stream().map((page) -> page.getFileName().toString()).toList());
	}

	@Test
	void numbersAreUnique() throws IOException {
		List<String> names = pages().stream().map((page) -> page.getFileName().toString()).toList();
		assertThat(names).allMatch((name) -> FILE_NAME.matcher(name).matches());
		assertThat(names.stream().map((name) -> name.substring(0, 3))).doesNotHaveDuplicates();
	}

	private static void requireForm(String page) {
		assertThat(page).matches("(?s)# [^\\n]+\\n\\n## .*");
		List<String> sections = SECTION.matcher(page).results().map((section) -> section.group(1)).toList();
		assertThat(sections).containsExactly("Context", "Decision", "Consequences");
	}

	private static List<Path> pages() throws IOException {
		try (Stream<Path> files = Files.list(FOLDER)) {
			return files.sorted().toList();
		}
	}

}
