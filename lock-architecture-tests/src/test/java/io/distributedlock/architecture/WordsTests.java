package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Code and docs use the words of docs/glossary.md, and not those that it has retired.
 */
class WordsTests {

	/**
	 * Each retired word with the one that replaces it. A word stands for its forms too.
	 */
	private static final Map<Pattern, String> RETIRED = retired(Map.ofEntries(
			Map.entry("(give|gives|given|gave|giving)( \\w+){0,2} back", "release a lease, close a handle"),
			Map.entry("kinds? of (a |the )?locks?", "lock type"),
			Map.entry("(keep|keeps|kept|keeping)( \\w+){0,2} alive", "renew, auto-renewed"),
			Map.entry("discard(s|ed|ing)?", "release unused"), Map.entry("come by|comes by|came by", "acquire"),
			Map.entry("to be had|be had", "available"), Map.entry("loss ?listeners?", "listener"),
			Map.entry("lanes?", "gate key"), Map.entry("in the clothes of", "adapted to"),
			Map.entry("what is there twice", "duplicates"), Map.entry("have the lease run", "make the lease end"),
			Map.entry("at the outset", "from the beginning"), Map.entry("stop to lock", "stop locking")));

	@Test
	void retiredWordsAreNotUsed() throws IOException {
		List<String> found = new ArrayList<>();
		for (Path file : sources()) {
			String text = text(file);
			RETIRED.forEach((word, replacement) -> {
				Matcher matcher = word.matcher(text);
				if (matcher.find()) {
					found.add("%s: write '%s' and not '%s'".formatted(ROOT.relativize(file), replacement,
							matcher.group()));
				}
			});
		}
		assertThat(found).as("words that docs/glossary.md has retired").isEmpty();
	}

	@Test
	void retiredWordsOfTheGlossaryAreThoseOfThisTest() throws IOException {
		List<String> words = new ArrayList<>();
		for (String line : Files.readAllLines(GLOSSARY)) {
			String[] cells = line.split("\\|");
			if (line.startsWith("| **") && cells.length > 5) {
				words.addAll(
						Stream.of(cells[5].split(",")).map(String::trim).filter((word) -> !word.isEmpty()).toList());
			}
		}
		assertThat(words).isNotEmpty()
			.allMatch((word) -> RETIRED.keySet().stream().anyMatch((pattern) -> pattern.matcher(word).matches()));
	}

	private static Map<Pattern, String> retired(Map<String, String> words) {
		return words.entrySet()
			.stream()
			.collect(Collectors.toMap((word) -> Pattern.compile("\\b(" + word.getKey() + ")\\b"), Map.Entry::getValue));
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
