package io.distributedlock.architecture;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages docs/architecture.md and docs/glossary.md name modules and classes that
 * exist. What the modules may use is checked by {@link ModuleTableTests}.
 */
class ArchitecturePageTests {

	private static final String PAGE = ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/architecture.md"));

	private static final String GLOSSARY = ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/glossary.md"));

	/**
	 * A class with or without its package, alone or before a method or a nested class.
	 */
	private static final Pattern CODE_SPAN_OF_CLASS = Pattern.compile("`(?:[a-z]+\\.)*([A-Z][a-z]\\w+)[^`]*`");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| `(lock-[a-z-]+)`");

	private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```\n(.*?)^```");

	/**
	 * A name of several words, which no other word of the diagram is.
	 */
	private static final Pattern CLASS_NAME = Pattern.compile("\\b(?:[A-Z][a-z]+){2,}\\b");

	@Test
	void everyModuleHasARow() {
		// a program, which nothing else can depend on
		Set<String> modules = modules();
		modules.remove("lock-benchmarks");
		// one row for all
		modules.removeIf((module) -> module.startsWith("lock-provider-"));
		assertThat(matches(ROW, PAGE)).isEqualTo(modules);
		assertThat(PAGE).contains("\n| `lock-provider-…` |");
	}

	@Test
	void classesOfTheDiagramExist() {
		Set<String> named = new TreeSet<>();
		CODE_BLOCK.matcher(PAGE).results().forEach((block) -> named.addAll(names(block.group(1))));
		assertThat(named).hasSizeGreaterThan(10);
		assertThat(ProjectFiles.classNames()).containsAll(named);
	}

	@Test
	void classesOfTheGlossaryExist() {
		Set<String> named = matches(CODE_SPAN_OF_CLASS, GLOSSARY);
		assertThat(named).hasSizeGreaterThan(20);
		assertThat(ProjectFiles.classNames()).containsAll(named);
	}

	private static Set<String> names(String block) {
		return CLASS_NAME.matcher(block)
			.results()
			.map(MatchResult::group)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> matches(Pattern pattern, String text) {
		return pattern.matcher(text)
			.results()
			.map((match) -> match.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> modules() {
		List<String> names = ProjectFiles.find((path) -> path.endsWith("src/main/java"))
			.stream()
			.map((sources) -> sources.getName(sources.getNameCount() - 4).toString())
			.filter((name) -> name.startsWith("lock-"))
			.toList();
		return new TreeSet<>(names);
	}

}
