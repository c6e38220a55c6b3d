package io.distributedlock.boot.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

import io.distributedlock.LockCapability;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a replaced provider can do is what docs/providers/README.md says of the real one,
 * where the compatibility kit has written it.
 */
class ReplacedProviderTests {

	private static final Path PAGE = Path.of("../docs/providers/README.md");

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "JDBC")
	void capabilitiesAreThoseOfTheRealOne(ReplacedProvider provider) throws IOException {
		assertThat(provider.capabilities(new MockEnvironment())).isEqualTo(documented(provider.providerName()));
	}

	@ParameterizedTest
	@CsvSource({ "row,", "version, version", "for-update, FOR_UPDATE", "advisory, advisory" })
	void capabilitiesOnADatabaseAreThoseOfTheStrategy(String row, String strategy) throws IOException {
		MockEnvironment environment = new MockEnvironment();
		if (strategy != null) {
			environment.setProperty("lock.jdbc.strategy", strategy);
		}
		assertThat(ReplacedProvider.JDBC.capabilities(environment))
			.isEqualTo(documented("jdbc %s on PostgreSQL".formatted(row)));
	}

	@ParameterizedTest
	@CsvSource({ ", 500", "50ms, 250", "2s, 10000" })
	void redlockNeedsALeaseOfFiveNodeTimeouts(String nodeTimeout, long shortest) {
		MockEnvironment environment = new MockEnvironment();
		if (nodeTimeout != null) {
			environment.setProperty("lock.redis.redlock.node-timeout", nodeTimeout);
		}
		assertThat(ReplacedProvider.REDLOCK.limits(environment).shortest()).isEqualTo(Duration.ofMillis(shortest));
	}

	private static Set<LockCapability> documented(String row) throws IOException {
		List<String> lines = Files.readAllLines(PAGE);
		List<String> heads = cells(lines.stream()
			.filter((line) -> line.startsWith("| provider | blocking wait"))
			.findFirst()
			.orElseThrow());
		List<String> cells = cells(
				lines.stream().filter((line) -> line.startsWith("| " + row + " | ")).findFirst().orElseThrow());
		Set<LockCapability> capabilities = EnumSet.noneOf(LockCapability.class);
		IntStream.range(1, heads.size() - 1)
			.filter((column) -> !cells.get(column).isEmpty())
			.mapToObj((column) -> heads.get(column).toUpperCase(Locale.ROOT).replace(' ', '_'))
			.forEach((name) -> capabilities.add(LockCapability.valueOf(name)));
		return capabilities;
	}

	private static List<String> cells(String line) {
		return Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList();
	}

}
