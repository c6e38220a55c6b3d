package io.distributedlock.architecture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every relative link of every Markdown file leads to a file, and to a heading of it
 * where the link has an anchor.
 */
class MarkdownLinksTests {

	private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```");

	private static final Pattern CODE_SPAN = Pattern.compile("`[^`\n]*`");

	private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");

	private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");

	@Test
	void relativeLinksLeadToFilesAndHeadings() {
		Set<String> broken = new TreeSet<>();
		List<Path> pages = ProjectFiles.withExtension("md");
		for (Path page : pages) {
			Matcher links = LINK.matcher(CODE_SPAN.matcher(text(page)).replaceAll("code"));
			while (links.find()) {
				String link = links.group(1);
				if (!link.contains("://") && !link.startsWith("mailto:") && !resolves(page, link)) {
					broken.add(ProjectFiles.ROOT.relativize(page) + " -> " + link);
				}
			}
		}
		assertThat(pages).hasSizeGreaterThan(20);
		assertThat(broken).isEmpty();
	}

	private static boolean resolves(Path page, String link) {
		String[] parts = link.split("#", 2);
		Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
		return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
	}

	/**
	 * Return the anchors of a page's headings, made as GitHub makes them.
	 */
	private static Set<String> anchors(Path page) {
		Set<String> anchors = new HashSet<>();
		Map<String, Integer> seen = new HashMap<>();
		Matcher headings = HEADING.matcher(text(page));
		while (headings.find()) {
			String anchor = headings.group(1)
				.replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
				.trim()
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\p{L}\\p{N}\\s_-]", "")
				.replace(' ', '-');
			int before = seen.merge(anchor, 1, Integer::sum) - 1;
			anchors.add((before == 0) ? anchor : anchor + "-" + before);
		}
		return anchors;
	}

	private static String text(Path page) {
		return CODE_BLOCK.matcher(ProjectFiles.read(page)).replaceAll("");
	}

}
