package io.distributedlock.sample.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The node can be copied as it is.
 */
class NodePackageTests {

	private static final Pattern OTHER_PACKAGE = Pattern.compile("io\\.distributedlock\\.sample\\.(?!node;|node\\.)");

	@Test
	void nodeDoesNotKnowTheDemonstration() throws IOException {
		List<Path> sources;
		try (Stream<Path> found = Files.list(Path.of("src/main/java/io/distributedlock/sample/node"))) {
			sources = found.toList();
		}
		List<Path> knowing = new ArrayList<>();
		for (Path source : sources) {
			if (OTHER_PACKAGE.matcher(Files.readString(source)).find()) {
				knowing.add(source);
			}
		}
		assertThat(sources).hasSizeGreaterThan(5);
		assertThat(knowing).isEmpty();
	}

}
