package io.distributedlock.redisson;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing but Redisson's public API is used, so that a wrapped client works too.
 */
class PublicApiTests {

	private static final Pattern INTERNAL = Pattern
		.compile("org\\.redisson\\.(?!api\\.|config\\.|client\\.codec\\.|client\\.\\w+Exception|\\w+Exception)[\\w.]+");

	@Test
	void noInternalClassIsNamed() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
			List<Path> sources = files.filter((file) -> file.toString().endsWith(".java")).toList();
			assertThat(sources).isNotEmpty();
			for (Path source : sources) {
				assertThat(INTERNAL.matcher(Files.readString(source)).results().map((found) -> found.group()))
					.as(source.toString())
					.isEmpty();
			}
		}
	}

}
