package io.distributedlock.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The snippets of {@code docs/features} are code that the build runs, and the links of
 * all pages lead to files.
 */
class SnippetTests {

	private static final Path DOCS = Path.of("..");

	private static final Path FEATURES = DOCS.resolve("features");

	private static final Pattern SNIPPET = Pattern.compile("```(?:java|kotlin)\n(.*?)```", Pattern.DOTALL);

	private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)(#[^)]*)?\\)");

	private static final List<Path> SOURCES = List.of(Path.of("src"), Path.of("../../lock-spring/src/test"),
			Path.of("../../lock-providers/lock-provider-redis/src/test"));

	@TestFactory
	List<DynamicTest> snippetIsCodeOfAnExample() throws IOException {
		String code = code();
		List<DynamicTest> tests = new ArrayList<>();
		for (Path page : pages(FEATURES)) {
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

	@Test
	void linksLeadToFiles() throws IOException {
		List<Path> pages = new ArrayList<>(pages(DOCS));
		pages.add(Path.of("../../README.md"));
		for (Path page : pages) {
			Matcher links = LINK.matcher(Files.readString(page));
			while (links.find()) {
				if (!links.group(1).contains("://")) {
					assertThat(page.resolveSibling(links.group(1))).as("in " + page).exists();
				}
			}
		}
	}

	private static List<Path> pages(Path folder) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith(".md")).sorted().toList();
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
