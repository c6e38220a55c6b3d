package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Chinese page has the structure, the code, the links and the facts of its English
 * page, so a change of one without the other is seen. {@link MarkdownLinksTests} looks
 * for the anchors, which a translation may have of its own.
 */
class TranslationTests {

	private static final Pattern ORIGINAL = Pattern.compile("(?m)^\\[English]\\((.+)\\)$");

	private static final Pattern CODE_BLOCK = Pattern.compile("(?m)^```(?s:.*?)^```$");

	/**
	 * A block of code, or what begins a heading, a row of a table, an item of a list or a
	 * paragraph.
	 */
	private static final Pattern ELEMENT = Pattern
		.compile(CODE_BLOCK.pattern() + "|^#+ |^\\|.*$|^ *(-|\\d+\\.) |(?<=\n\n)(?=.)");

	private static final Pattern LINK = Pattern.compile("]\\(([^)\\s#]*)(#[^)\\s]+)?\\)|<(http[^>]+)>");

	/**
	 * Code and figures, which are the same in each language.
	 */
	private static final Pattern FACT = Pattern.compile("`[^`\n]+`|\\d+(\\.\\d+)*");

	/**
	 * Each translated page with its original.
	 */
	private static final Map<Path, Path> ORIGINALS = originals();

	@TestFactory
	Stream<DynamicTest> translationFollowsItsOriginal() {
		assertThat(ORIGINALS).hasSizeGreaterThan(3);
		return ORIGINALS.entrySet()
			.stream()
			.map((pair) -> DynamicTest.dynamicTest(ProjectFiles.ROOT.relativize(pair.getKey()).toString(),
					() -> compare(pair.getKey(), pair.getValue())));
	}

	private static void compare(Path translation, Path original) {
		assertThat(outline(translation)).as("outline").isEqualTo(outline(original));
		assertThat(links(translation)).as("links").isEqualTo(links(original));
		assertThat(facts(translation)).as("facts").containsAll(facts(original));
	}

	private static Map<Path, Path> originals() {
		Map<Path, Path> originals = new TreeMap<>();
		for (Path page : ProjectFiles.withExtension("md")) {
			if (ProjectFiles.ROOT.relativize(page).toString().contains("zh-CN")) {
				Matcher original = ORIGINAL.matcher(ProjectFiles.read(page));
				assertThat(original.find()).as("a link [English] in %s", page).isTrue();
				originals.put(page, page.resolveSibling(original.group(1)).normalize());
			}
		}
		return originals;
	}

	private static List<String> outline(Path page) {
		return ELEMENT.matcher(ProjectFiles.read(page)).results().map(MatchResult::group).map((element) -> {
			if (element.isEmpty()) {
				return "paragraph";
			}
			return element.startsWith("|") ? element.replace("\\|", "").replaceAll("[^|]+", " ") : element;
		}).toList();
	}

	private static List<String> links(Path page) {
		return LINK.matcher(prose(page)).results().map((link) -> target(page, link)).sorted().toList();
	}

	/**
	 * Return where a link leads. A translated page counts as its original, and has other
	 * anchors.
	 */
	private static String target(Path page, MatchResult link) {
		if (link.group(3) != null || link.group(1).contains("://")) {
			return link.group();
		}
		Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
		Path original = ORIGINALS.getOrDefault(target, target);
		String anchor = (link.group(2) != null) ? link.group(2) : "";
		boolean translated = ORIGINALS.containsValue(original);
		return ProjectFiles.ROOT.relativize(original) + ((translated && !anchor.isEmpty()) ? "#" : anchor);
	}

	private static List<String> facts(Path page) {
		String text = LINK.matcher(prose(page)).replaceAll("");
		return FACT.matcher(text).results().map(MatchResult::group).distinct().toList();
	}

	private static String prose(Path page) {
		return CODE_BLOCK.matcher(ProjectFiles.read(page)).replaceAll("");
	}

}
