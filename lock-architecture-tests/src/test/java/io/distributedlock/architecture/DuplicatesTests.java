package io.distributedlock.architecture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import net.sourceforge.pmd.cpd.CPDConfiguration;
import net.sourceforge.pmd.cpd.CPDReport;
import net.sourceforge.pmd.cpd.CpdAnalysis;
import net.sourceforge.pmd.cpd.Match;
import net.sourceforge.pmd.lang.document.FileLocation;
import net.sourceforge.pmd.lang.java.JavaLanguageModule;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No code is written twice, in one module or in two. PMD's copy-paste detector compares
 * tokens. It ignores imports, package lines and comments.
 */
class DuplicatesTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	/**
	 * Equal code below this length mostly declares something, such as the methods that
	 * each provider overrides.
	 */
	private static final int TOKENS = 70;

	/**
	 * Higher than for the library: a test that shows its own set-up is easier to read.
	 */
	private static final int TOKENS_OF_TESTS = 120;

	@Test
	void libraryHasNoDuplicates() throws IOException {
		// annotations such as @Override are declarations, not logic
		assertNone(duplicates("src/main/java", TOKENS, true), TOKENS);
	}

	@Test
	void testsHaveNoDuplicates() throws IOException {
		// with annotations: equal methods with different annotations are different cases
		assertNone(duplicates("src/test/java", TOKENS_OF_TESTS, false), TOKENS_OF_TESTS);
	}

	private static void assertNone(List<String> duplicates, int tokens) {
		assertThat(duplicates)
			.as("code of %s or more equal tokens: move it to where all of its users may depend on it "
					+ "(docs/architecture.md, Modules)", tokens)
			.isEmpty();
	}

	private static List<String> duplicates(String sources, int tokens, boolean ignoreAnnotations) throws IOException {
		CPDConfiguration configuration = new CPDConfiguration();
		configuration.setOnlyRecognizeLanguage(JavaLanguageModule.getInstance());
		configuration.setMinimumTileSize(tokens);
		configuration.setIgnoreAnnotations(ignoreAnnotations);
		List<String> duplicates = new ArrayList<>();
		try (CpdAnalysis analysis = CpdAnalysis.create(configuration)) {
			for (Path folder : ProjectFiles.find((path) -> path.endsWith(sources))) {
				analysis.files().addDirectory(folder);
			}
			analysis.performAnalysis((report) -> {
				assertThat(report.getProcessingErrors()).isEmpty();
				assertThat(report.getNumberOfTokensPerFile()).as("files in %s", sources).isNotEmpty();
				report.getMatches().forEach((match) -> duplicates.add(places(match, report)));
			});
		}
		return duplicates;
	}

	private static String places(Match match, CPDReport report) {
		List<String> places = new ArrayList<>();
		match.forEach((mark) -> {
			FileLocation location = mark.getLocation();
			Path file = Path.of(report.getDisplayName(location.getFileId()));
			places.add(ROOT.relativize(file) + ":" + location.getStartLine() + "-" + location.getEndLine());
		});
		return match.getTokenCount() + " tokens in " + String.join(" and ", places);
	}

}
