package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A class of the product has a test by its name, or its package names the tests of the
 * scenarios that it is part of.
 */
class CoverageTests {

	private static final Pattern PRODUCT = Pattern
		.compile("lock-(core|spring|micrometer|rewrite|providers/[a-z-]+|spring-boot-autoconfigure)/src/main/java/.*");

	private static final Pattern CLASS = Pattern
		.compile("(?m)^(?:(?:public|final|abstract|sealed|non-sealed) )*(?:class|record) ");

	private static final Pattern COVERED = Pattern.compile("\\* Covered by ([^.]+)\\.");

	private static final Pattern NAME = Pattern.compile("\\{@code (\\w+)}");

	@Test
	void everyClassHasATest() {
		Set<String> names = ProjectFiles.classNames();
		Map<Path, List<Path>> packages = ProjectFiles.withExtension("java")
			.stream()
			.filter((file) -> PRODUCT.matcher(ProjectFiles.ROOT.relativize(file).toString()).matches())
			.collect(Collectors.groupingBy(Path::getParent));
		assertThat(packages.size()).isGreaterThan(40);
		packages.forEach((folder, files) -> {
			List<String> covering = covering(folder);
			assertThat(covering).as("tests that %s names", folder).isSubsetOf(names);
			List<Path> untested = files.stream()
				.filter((file) -> isClass(file) && !names.contains(test(file)))
				.toList();
			assertThat(covering.isEmpty())
				.as("'Covered by' in package-info.java is missing, or not needed: %s", untested)
				.isEqualTo(untested.isEmpty());
		});
	}

	private static List<String> covering(Path folder) {
		return COVERED.matcher(ProjectFiles.read(folder.resolve("package-info.java")))
			.results()
			.flatMap((sentence) -> NAME.matcher(sentence.group(1)).results())
			.map((name) -> name.group(1))
			.toList();
	}

	private static boolean isClass(Path file) {
		return CLASS.matcher(ProjectFiles.read(file)).find();
	}

	private static String test(Path file) {
		return file.getFileName().toString().replace(".java", "Tests");
	}

}
