package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A dependency that a message or a page advises must exist, and it must bring the
 * provider.
 */
class KnownProviderTests {

	/**
	 * Tests run in the folder of their module.
	 */
	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	@ParameterizedTest
	@EnumSource
	void dependencyBringsTheProvider(KnownProvider provider) throws IOException, ReflectiveOperationException {
		Class<?> type = type(provider);
		assertThat(type.getField("NAME").get(null)).isEqualTo(provider.providerName());
		Set<String> brought = found("<artifactId>([a-z-]+)</artifactId>", List.of(pom(artifactId(provider))));
		assertThat(brought)
			.anySatisfy((module) -> assertThat(type.getProtectionDomain().getCodeSource().getLocation().getPath())
				.as("the jar or the classes of the module")
				.contains("/" + module + "/"));
	}

	@ParameterizedTest
	@EnumSource
	void dependencyIsAdvisedIfTheProviderIsUnavailable(KnownProvider provider) {
		InvalidLockSetupException failure = catchThrowableOfType(InvalidLockSetupException.class,
				() -> DefaultProviderName.choose(provider.providerName(), List.of()));
		assertThat(failure).hasMessageContaining("'" + provider.providerName() + "'");
		assertThat(failure.getAction()).contains(provider.dependency() + ",");
	}

	@Test
	void everyAdvisedModuleExists() throws IOException {
		Set<String> advised = new TreeSet<>(
				found("io\\.distributedlock:([a-z-]+)", files(Path.of("src/main/java"), ".java")));
		Arrays.stream(KnownProvider.values()).forEach((each) -> advised.add(artifactId(each)));
		advised.addAll(found("(lock-(?:provider|spring-boot-starter)-[a-z]+)", files(ROOT.resolve("docs"), ".md")));
		advised.addAll(found("(lock-(?:provider|spring-boot-starter)-[a-z]+)", List.of(ROOT.resolve("README.md"))));
		assertThat(advised)
			.contains("lock-spring-boot-starter", "lock-spring-boot-starter-redis", "lock-provider-redis")
			.isSubsetOf(found("<artifactId>([a-z-]+)</artifactId>", List.of(ROOT.resolve("lock-bom/pom.xml"))))
			.allSatisfy((module) -> assertThat(pom(module)).exists());
	}

	@Test
	void everyStarterIsAdvised() throws IOException {
		try (Stream<Path> starters = Files.list(ROOT.resolve("lock-starters"))) {
			assertThat(starters.filter((folder) -> Files.exists(folder.resolve("pom.xml")))
				.map((folder) -> folder.getFileName().toString())).isNotEmpty()
				.isSubsetOf(Arrays.stream(KnownProvider.values()).map(KnownProviderTests::artifactId).toList());
		}
	}

	@Test
	void pageOfProvidersNamesTheSameDependencies() throws IOException {
		String page = Files.readString(ROOT.resolve("docs/providers/README.md"));
		assertThat(KnownProvider.values()).filteredOn((each) -> each != KnownProvider.LOCAL)
			.allSatisfy((each) -> assertThat(page.lines())
				.anyMatch((line) -> line.startsWith("| `%s` |".formatted(each.providerName()))
						&& line.contains("`%s`".formatted(artifactId(each)))));
	}

	@Test
	void hintsOfThePropertyNameAllProviders() throws IOException {
		String hints = new ClassPathResource("META-INF/additional-spring-configuration-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8);
		List<String> names = Pattern.compile("\"value\": \"([a-z]+)\"")
			.matcher(hints)
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(String.join(", ", names)).isEqualTo(KnownProvider.names());
	}

	private static Class<?> type(KnownProvider provider) throws IOException {
		Pattern name = Pattern.compile(
				"(?i)(io/distributedlock/[a-z]+/%s(Locks|LockProvider|Provider))\\.class".formatted(provider.name()));
		return Arrays
			.stream(new PathMatchingResourcePatternResolver().getResources("classpath*:io/distributedlock/*/*.class"))
			.map((file) -> name.matcher(file.toString()))
			.filter(Matcher::find)
			.map((found) -> ClassUtils.resolveClassName(found.group(1).replace('/', '.'), null))
			.findFirst()
			.orElseThrow();
	}

	private static String artifactId(KnownProvider provider) {
		return provider.dependency().substring(provider.dependency().indexOf(':') + 1);
	}

	private static Path pom(String module) {
		return Stream.of("", "lock-providers", "lock-starters")
			.map((folder) -> ROOT.resolve(folder).resolve(module).resolve("pom.xml"))
			.filter(Files::exists)
			.findFirst()
			.orElse(ROOT.resolve(module).resolve("pom.xml"));
	}

	private static List<Path> files(Path folder, String ending) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith(ending)).toList();
		}
	}

	private static Set<String> found(String pattern, List<Path> files) throws IOException {
		Set<String> found = new TreeSet<>();
		for (Path file : files) {
			Pattern.compile(pattern)
				.matcher(Files.readString(file))
				.results()
				.forEach((match) -> found.add(match.group(1)));
		}
		return found;
	}

}
