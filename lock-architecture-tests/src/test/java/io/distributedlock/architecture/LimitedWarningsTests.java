package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an outage, a provider or the application repeats for each key or each call does
 * not fill the log.
 */
class LimitedWarningsTests {

	private static final Pattern UNLIMITED = Pattern.compile("\\blogger(?:\\.|::)(?:warn|error|atWarn|atError)\\b");

	/**
	 * Those that warn once: at a start or a close, at the beginning of an outage, of what
	 * a server refuses, and of each forced release, which is a record.
	 */
	private static final List<String> ONCE = List.of("Backends", "DefaultLockTemplate", "LimitedLog", "OutageWatch",
			"RedisLink", "RedisLockProvider", "RedissonLockProvider", "RedissonServer");

	@Test
	void warningsThatMayBeRepeatedHaveALimit() {
		assertThat(ProjectFiles.withExtension("java")
			.stream()
			.filter((file) -> isOfEngineOrProviders(ProjectFiles.ROOT.relativize(file).toString()))
			.filter((file) -> UNLIMITED.matcher(ProjectFiles.read(file)).find())
			.map(Path::getFileName)
			.map((file) -> file.toString().replace(".java", ""))
			.sorted()).as("warn by a LimitedLog").isEqualTo(ONCE);
	}

	private static boolean isOfEngineOrProviders(String file) {
		return file.matches("(lock-core|lock-providers/[^/]+)/src/main/.*");
	}

}
