package io.distributedlock.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The snippets of {@code docs/features}, of {@code docs/migration}, of the README and of
 * the pages about recipes, Spring Boot, annotations, tests of applications and providers
 * of one's own are code that the build runs. Code of other libraries is marked
 * {@code before}.
 */
class SnippetTests {

	private static final Path FEATURES = Path.of("../features");

	private static final Path MIGRATION = Path.of("../migration");

	private static final Path README = Path.of("../../README.md");

	private static final Path RECIPES = Path.of("../recipes.md");

	private static final Path TESTING = Path.of("../testing-your-application.md");

	private static final Path SPRING_BOOT = Path.of("../spring-boot.md");

	private static final Path ANNOTATIONS = Path.of("../reference/annotations.md");

	private static final Path OWN_PROVIDER = Path.of("../providers/write-your-own.md");

	private static final Pattern SNIPPET = Pattern.compile("```(?:java|kotlin)\n(.*?)```", Pattern.DOTALL);

	/**
	 * The last cell of a row in a table.
	 */
	private static final Pattern LAST_CELL = Pattern.compile("(?m)^\\|.*\\|([^|\n]+)\\|$");

	private static final Pattern CODE_SPAN = Pattern.compile("`([^`]+)`");

	private static final List<Path> SOURCES = List.of(Path.of("src"), Path.of("../../lock-spring/src/test"),
			Path.of("../../lock-spring-boot-autoconfigure/src/test"),
			Path.of("../../lock-providers/lock-provider-redis/src/test"),
			Path.of("../../integration-tests/boot-3.5-application/src"),
			Path.of("../../integration-tests/kotlin-application/src"),
			Path.of("../../integration-tests/plain-spring-application/src"));

	@TestFactory
	List<DynamicTest> snippetIsCodeOfAnExample() throws IOException {
		String code = code();
		List<DynamicTest> tests = new ArrayList<>();
		for (Path page : pages()) {
			Matcher snippets = SNIPPET.matcher(Files.readString(page));
			while (snippets.find()) {
				String snippet = squeeze(snippets.group(1));
				tests.add(DynamicTest.dynamicTest(page.getFileName() + ": " + snippet.lines().findFirst().orElse(""),
						() -> assertThat(code).contains(snippet)));
			}
		}
		assertThat(tests).hasSizeGreaterThan(20);
		return tests;
	}

	/**
	 * What replaces the attributes and calls of another library stands in the last column
	 * of the tables. An ellipsis there stands for a few words of code.
	 */
	@TestFactory
	List<DynamicTest> replacementIsCodeOfAnExample() throws IOException {
		String code = code();
		List<DynamicTest> tests = new ArrayList<>();
		for (Path page : pagesIn(MIGRATION)) {
			Matcher cells = LAST_CELL.matcher(Files.readString(page));
			while (cells.find()) {
				CODE_SPAN.matcher(cells.group(1))
					.results()
					.map((span) -> squeeze(span.group(1)))
					.map((span) -> DynamicTest.dynamicTest(page.getFileName() + ": " + span,
							() -> assertThat(replacement(span).matcher(code).find()).as(span).isTrue()))
					.forEach(tests::add);
			}
		}
		assertThat(tests).hasSizeGreaterThan(40);
		return tests;
	}

	private static Pattern replacement(String span) {
		return Pattern
			.compile(Arrays.stream(span.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".{1,200}?")));
	}

	private static List<Path> pages() throws IOException {
		List<Path> pages = new ArrayList<>(List.of(README, RECIPES, TESTING, SPRING_BOOT, ANNOTATIONS, OWN_PROVIDER));
		pages.addAll(pagesIn(FEATURES));
		pages.addAll(pagesIn(MIGRATION));
		return pages;
	}

	private static List<Path> pagesIn(Path folder) throws IOException {
		try (Stream<Path> pages = Files.list(folder)) {
			return pages.sorted().toList();
		}
	}

	private static String code() throws IOException {
		StringBuilder code = new StringBuilder();
		for (Path root : SOURCES) {
			try (Stream<Path> files = Files.walk(root)) {
				for (Path file : files.filter(Files::isRegularFile).toList()) {
					code.append(squeeze(Files.readString(file)));
				}
			}
		}
		return code.toString();
	}

	private static String squeeze(String text) {
		return text.replaceAll("\\s+", " ").trim();
	}

}
