package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a provider or the application has thrown may throw again when it is printed: the
 * step that logs it must go on.
 */
class PrintedFailuresTests {

	private static final Pattern UNSAFE = Pattern
		.compile("(?:logger|warnings)\\.\\w+\\([^;]*,\\s*(?:ex|failure|cause)\\);");

	@Test
	void engineLogsFailuresThatCannotBePrinted() {
		Path engine = ProjectFiles.ROOT.resolve("lock-core/src/main");
		List<Path> sources = ProjectFiles.withExtension("java")
			.stream()
			.filter((file) -> file.startsWith(engine))
			.toList();
		assertThat(sources).hasSizeGreaterThan(100);
		assertThat(sources.stream().filter((file) -> UNSAFE.matcher(ProjectFiles.read(file)).find()))
			.as("log by Failures.log")
			.isEmpty();
	}

}
