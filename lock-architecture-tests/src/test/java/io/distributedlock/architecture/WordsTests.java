package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Code and docs do not use the words that those of docs/glossary.md have replaced.
 */
class WordsTests {

	/**
	 * Each retired word, in all its forms, with the word that replaces it.
	 */
	private static final Map<String, String> RETIRED = Map.ofEntries(
			Map.entry("(give|gives|given|gave|giving)( \\w+){0,2} back", "release a lease, close a handle"),
			Map.entry("\\w*(given|gives?|gave)back\\w*|\\w*keptalive\\w*", "released, renewed: in names too"),
			Map.entry("kinds? of (a |the )?locks?", "lock type"),
			Map.entry("(keep|keeps|kept|keeping)( \\w+){0,2} alive", "renew, auto-renewed"),
			Map.entry("discard(s|ed|ing)?", "release unused"), Map.entry("(come|comes|came|coming) by", "acquire"),
			Map.entry("be had", "available"), Map.entry("loss listeners?", "listener"),
			Map.entry("lanes?", "local key"), Map.entry("local gates?", "key in use"),
			Map.entry("in the clothes of", "adapted to"), Map.entry("what is there twice", "duplicates"),
			Map.entry("have the lease run", "make the lease end"), Map.entry("at the outset", "from the beginning"),
			Map.entry("stop to lock", "stop locking"));

	@TestFactory
	List<DynamicTest> retiredWordIsNotUsed() {
		Map<Path, String> texts = ProjectFiles.withExtension("java", "kt", "md", "json", "xml")
			.stream()
			.filter((file) -> !file.endsWith("WordsTests.java"))
			.collect(Collectors.toMap((file) -> file, WordsTests::text));
		return RETIRED.entrySet().stream().map((word) -> DynamicTest.dynamicTest(word.getKey(), () -> {
			List<String> found = new ArrayList<>();
			texts.forEach((file, text) -> {
				Matcher matcher = pattern(word.getKey()).matcher(text);
				if (matcher.find()) {
					found.add(ProjectFiles.ROOT.relativize(file) + ": " + matcher.group());
				}
			});
			assertThat(found).as("write: " + word.getValue()).isEmpty();
		})).toList();
	}

	private static Pattern pattern(String word) {
		return Pattern.compile("\\b(" + word + ")\\b");
	}

	/**
	 * Return the text of a file as it is read: sentences continue over lines and over the
	 * asterisks of comments.
	 */
	private static String text(Path file) {
		return ProjectFiles.read(file).replaceAll("\\s+((\\*|//)\\s+)?", " ").toLowerCase(Locale.ROOT);
	}

}
