package io.distributedlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of docs/decisions have one form and name classes that exist.
 */
class DecisionsTests {

	private static final Path FOLDER = ProjectFiles.ROOT.resolve("docs/decisions");

	private static final Pattern FILE_NAME = Pattern.compile("\\d{3}-[a-z0-9-]+\\.md");

	private static final Pattern CLASSES = Pattern.compile("\\A# .+\n\nEmbodied in: (\\w+(?:, \\w+)*)\n");

	private static final Pattern SECTION = Pattern.compile("(?m)^## (.+)\n\n(?!#).+");

	/**
	 * How a comment in the code refers to a page.
	 */
	private static final Pattern REFERENCE = Pattern.compile("docs/decisions/([\\w-]+\\.md)");

	@TestFactory
	List<DynamicTest> pageHasItsSectionsAndNamesClassesThatExist() throws IOException {
		Set<String> known = ProjectFiles.classNames();
		List<DynamicTest> tests = new ArrayList<>();
		for (Path page : pages()) {
			tests.add(DynamicTest.dynamicTest(page.getFileName().toString(),
					() -> requireForm(ProjectFiles.read(page), known)));
		}
		assertThat(tests).hasSizeGreaterThan(20);
		return tests;
	}

	@Test
	void classesThatEmbodyADecisionReferToIt() throws IOException {
		List<String> missing = new ArrayList<>();
		List<Path> sources = ProjectFiles.withExtension("java");
		for (Path page : pages()) {
			Matcher classes = CLASSES.matcher(ProjectFiles.read(page));
			assertThat(classes.find()).as(page.toString()).isTrue();
			for (String name : classes.group(1).split(", ", -1)) {
				boolean refers = sources.stream()
					.filter((file) -> file.endsWith(name + ".java"))
					.anyMatch((file) -> ProjectFiles.read(file).contains("docs/decisions/" + page.getFileName()));
				if (!refers) {
					missing.add(name + ": docs/decisions/" + page.getFileName());
				}
			}
		}
		assertThat(missing).as("name the page in the Javadoc of the class").isEmpty();
	}

	@Test
	void numbersAreUnique() throws IOException {
		List<String> names = pages().stream().map((page) -> page.getFileName().toString()).toList();
		assertThat(names).allMatch((name) -> FILE_NAME.matcher(name).matches());
		assertThat(names.stream().map((name) -> name.substring(0, 3))).doesNotHaveDuplicates();
	}

	@Test
	void pagesThatTheCodeRefersToExist() {
		Set<String> missing = new TreeSet<>();
		for (Path source : ProjectFiles.withExtension("java", "kt")) {
			Matcher references = REFERENCE.matcher(ProjectFiles.read(source));
			while (references.find()) {
				if (!Files.exists(FOLDER.resolve(references.group(1)))) {
					missing.add(ProjectFiles.ROOT.relativize(source) + " -> " + references.group(1));
				}
			}
		}
		assertThat(missing).isEmpty();
	}

	private static void requireForm(String page, Set<String> known) {
		Matcher classes = CLASSES.matcher(page);
		assertThat(classes.find()).as("a title, and below it 'Embodied in: ClassA, ClassB'").isTrue();
		assertThat(known).contains(classes.group(1).split(", ", -1));
		List<String> sections = SECTION.matcher(page).results().map((section) -> section.group(1)).toList();
		assertThat(sections).containsExactly("Context", "Decision", "Consequences");
	}

	private static List<Path> pages() throws IOException {
		try (Stream<Path> files = Files.list(FOLDER)) {
			return files.sorted().toList();
		}
	}

}
