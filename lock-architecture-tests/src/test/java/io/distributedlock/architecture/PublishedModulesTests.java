package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The BOM lists what the POMs publish, and that is all that a published module needs.
 */
class PublishedModulesTests {

	private static final Pattern PARENT = Pattern.compile("(?s)<parent>.*?<artifactId>([\\w.-]+)<.*?</parent>");

	private static final Pattern NAME = Pattern.compile("<artifactId>([\\w.-]+)</artifactId>");

	private static final Pattern DEPENDENCY = Pattern
		.compile("(?s)<dependency>\\s*<groupId>io\\.distributedlock</groupId>\\s*" + NAME + "(.*?)</dependency>");

	private static final String NOT_PUBLISHED = "<maven.deploy.skip>true<";

	@Test
	void bomListsWhatIsPublished() {
		Set<String> published = new TreeSet<>(published().keySet());
		assertThat(published).contains("lock-spring-boot-starter");
		Set<String> listed = dependencies(published().get("lock-bom"));
		listed.add("lock-bom");
		assertThat(listed).isEqualTo(published);
	}

	@Test
	void whatAPublishedModuleNeedsIsPublishedToo() {
		Map<String, String> published = published();
		published.forEach(
				(module, pom) -> assertThat(published.keySet()).as("published, with all dependencies of %s", module)
					.containsAll(dependencies(pom)));
	}

	private static Set<String> dependencies(String pom) {
		return DEPENDENCY.matcher(pom)
			.results()
			.filter((found) -> !found.group(2).matches("(?s).*<scope>(test|provided)<.*"))
			.map((found) -> found.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * Return the POMs of the published modules by their names.
	 */
	private static Map<String, String> published() {
		Map<String, String> poms = new TreeMap<>();
		for (Path file : ProjectFiles.withExtension("xml")) {
			if (file.endsWith("pom.xml")) {
				String pom = ProjectFiles.read(file);
				Matcher name = NAME.matcher(PARENT.matcher(pom).replaceFirst(""));
				assertThat(name.find()).as(file.toString()).isTrue();
				poms.put(name.group(1), pom);
			}
		}
		Map<String, String> published = new TreeMap<>(poms);
		// a POM with modules is of use in the build only
		published.values().removeIf((pom) -> pom.contains("<modules>") || isNotPublished(pom, poms));
		return published;
	}

	private static boolean isNotPublished(String pom, Map<String, String> poms) {
		Matcher parent = PARENT.matcher(pom);
		return pom.contains(NOT_PUBLISHED) || (parent.find() && poms.containsKey(parent.group(1))
				&& isNotPublished(poms.get(parent.group(1)), poms));
	}

}
