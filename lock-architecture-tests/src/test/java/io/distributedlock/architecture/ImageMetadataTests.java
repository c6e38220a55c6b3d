package io.distributedlock.architecture;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What modules without Spring tell a native image: the files that they read, and the
 * fields that they find by name. A native image has neither unless it is told.
 */
class ImageMetadataTests {

	private static final Path ROOT = ProjectFiles.ROOT;

	private static final Pattern GLOB = Pattern.compile("\"glob\": \"([^\"]+)\"");

	/**
	 * A type with fields.
	 */
	private static final Pattern TYPE = Pattern.compile("\"type\": \"([^\"]+)\",\\s+\"fields\": \\[([^]]+)]");

	private static final Pattern NAME = Pattern.compile("\"name\": \"([^\"]+)\"");

	private static final Pattern UPDATER = Pattern.compile("java\\.util\\.concurrent\\.atomic\\.\\w+FieldUpdater");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages("io.distributedlock");

	@Test
	void everyResourceIsNamed() throws IOException {
		List<String> seen = new ArrayList<>();
		for (Path resources : resourcesOfModules()) {
			List<PathMatcher> globs = GLOB.matcher(metadata(resources))
				.results()
				.map((glob) -> FileSystems.getDefault().getPathMatcher("glob:" + glob.group(1)))
				.toList();
			for (Path file : files(resources)) {
				Path name = resources.relativize(file);
				// Spring, AspectJ and the image builder know their own files there
				if (!name.startsWith("META-INF")) {
					seen.add(name.toString());
					assertThat(globs).as("a glob for %s in %s", name, resources).anyMatch((glob) -> glob.matches(name));
				}
			}
		}
		assertThat(seen).contains("io/distributedlock/jdbc/schema-h2.sql");
	}

	@Test
	void everyFieldOfAnUpdaterIsNamed() throws IOException {
		Map<String, Integer> updaters = new TreeMap<>();
		CLASSES.stream()
			.flatMap((type) -> type.getFields().stream())
			.filter((field) -> UPDATER.matcher(field.getRawType().getName()).matches())
			.forEach((field) -> updaters.merge(field.getOwner().getName(), 1, Integer::sum));
		Map<String, Integer> named = new TreeMap<>();
		for (Path resources : resourcesOfModules()) {
			TYPE.matcher(metadata(resources)).results().forEach((entry) -> {
				List<String> fields = NAME.matcher(entry.group(2)).results().map((name) -> name.group(1)).toList();
				assertThat(CLASSES.get(entry.group(1)).getFields()).extracting(JavaField::getName)
					.as("fields of %s", entry.group(1))
					.containsAll(fields);
				named.put(entry.group(1), fields.size());
			});
		}
		assertThat(named).isNotEmpty().isEqualTo(updaters);
	}

	/**
	 * Return what a module tells a native image, where the image builder looks for it.
	 */
	private static String metadata(Path resources) throws IOException {
		Path module = ROOT.relativize(resources.getParent().getParent().getParent()).getFileName();
		Path file = resources
			.resolve("META-INF/native-image/io.distributedlock/%s/reachability-metadata.json".formatted(module));
		return Files.exists(file) ? Files.readString(file) : "";
	}

	/**
	 * Return the resources of the modules that applications use.
	 */
	private static List<Path> resourcesOfModules() {
		return ProjectFiles.find((path) -> path.endsWith("src/main/resources"))
			.stream()
			.filter((path) -> ROOT.relativize(path).toString().startsWith("lock-"))
			.filter((path) -> !path.startsWith(ROOT.resolve("lock-benchmarks")))
			.toList();
	}

	private static List<Path> files(Path folder) throws IOException {
		try (Stream<Path> found = Files.walk(folder)) {
			return found.filter(Files::isRegularFile).toList();
		}
	}

}
