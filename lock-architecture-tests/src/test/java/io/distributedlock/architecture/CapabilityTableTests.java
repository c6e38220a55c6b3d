package io.distributedlock.architecture;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.distributedlock.LockCapability;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fills the rows of docs/providers/README.md with what the runs of the compatibility kit
 * in this build have shown; what one build does not run, such as the other generations of
 * the servers, stays as it is. Out of date, it is written anew, and the test fails once.
 */
class CapabilityTableTests {

	private static final String BEGIN = "<!-- made by the build from the results of the kit -->\n";

	private static final String END = "<!-- end -->\n";

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Path PAGE = ROOT.resolve("docs/providers/README.md");

	/**
	 * The cases of the kit that show a capability.
	 */
	private static final Map<LockCapability, List<String>> SHOWN_BY = Map.of(LockCapability.BLOCKING_WAIT,
			List.of("declaredBlockingWaitSignalsTheRelease", "waiterIsWokenByTheRelease"), LockCapability.FENCING,
			List.of("tokensRiseFromOwnerToOwner", "noUpdateIsLost"), LockCapability.FAIR,
			List.of("fairWaitersOfAllNodesAreServedInTheirOrder"), LockCapability.SHARED,
			List.of("readersShareAndWritersDoNot", "writerMayReadAndReaderMustNotWrite", "readLeaseIsRenewed",
					"expiredReadLeaseLetsTheWriterIn"),
			LockCapability.SEMAPHORE, List.of("semaphoreAdmitsOneHolderPerPermit", "expiredPermitIsFreeAgain"),
			LockCapability.LOCK_DELAY,
			List.of("keyStaysUnavailableForTheLockDelay", "leaseIsExtendedAndMinimumHoldTimeIsKept"),
			LockCapability.ANY_KEY, List.of("keysOfOtherLayoutsAreKeptAsTheyAreOrRefused"));

	@Test
	void tableShowsWhatTheKitHasShown() throws IOException {
		Map<String, Properties> results = results();
		Assumptions.assumeFalse(results.isEmpty(), "the kit has not run in this build");
		String page = Files.readString(PAGE);
		int begin = page.indexOf(BEGIN) + BEGIN.length();
		String expected = page.substring(0, begin) + "\n" + table(results, page) + "\n"
				+ page.substring(page.indexOf(END));
		if (!expected.equals(page)) {
			Files.writeString(PAGE, expected);
		}
		assertThat(page).as("table of capabilities, which has been written anew: commit it").isEqualTo(expected);
	}

	private static String table(Map<String, Properties> results, String page) {
		StringBuilder table = new StringBuilder("| provider |");
		for (LockCapability capability : LockCapability.values()) {
			table.append(" ").append(capability.name().toLowerCase(Locale.ROOT).replace('_', ' ')).append(" |");
		}
		table.append(" kit |\n| --- |").append(" :-: |".repeat(LockCapability.values().length + 1)).append("\n");
		for (String row : rows(page)) {
			String provider = row.split("\\|", -1)[1].strip();
			Properties result = results.get(provider);
			if (result == null) {
				table.append(row).append("\n");
				continue;
			}
			Set<String> declared = list(result, "capabilities");
			Set<String> passed = list(result, "passed");
			assertThat(list(result, "failed")).as("cases that %s has failed", provider).isEmpty();
			table.append("| ").append(provider).append(" |");
			for (LockCapability capability : LockCapability.values()) {
				boolean has = declared.contains(capability.name());
				if (has) {
					assertThat(passed).as("%s declares %s", provider, capability)
						.containsAll(SHOWN_BY.getOrDefault(capability, List.of()));
				}
				table.append(has ? " ● |" : "   |");
			}
			table.append(" ").append(passed.size()).append(" |\n");
		}
		return table.toString();
	}

	private static List<String> rows(String page) {
		return page.substring(page.indexOf(BEGIN), page.indexOf(END))
			.lines()
			.filter((line) -> line.startsWith("| "))
			.skip(2)
			.toList();
	}

	private static Set<String> list(Properties result, String name) {
		return Arrays.stream(result.getProperty(name, "").split(",", -1))
			.filter((each) -> !each.isEmpty())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Map<String, Properties> results() throws IOException {
		Map<String, Properties> results = new LinkedHashMap<>();
		for (Path file : files()) {
			Properties properties = new Properties();
			try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
				properties.load(reader);
			}
			results.put(file.getFileName().toString().replace(".properties", ""), properties);
		}
		return results;
	}

	private static List<Path> files() {
		return ProjectFiles.find((path) -> path.toString().matches(".*/target/lock-kit/[^/]*\\.properties"));
	}

}
