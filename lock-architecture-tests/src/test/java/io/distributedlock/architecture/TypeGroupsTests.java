package io.distributedlock.architecture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Types that all reach each other can only be understood together, so there are few of
 * them in each group. A package does not show that: its types may all reach each other.
 * The groups are the strongly connected components of Tarjan, Depth-first search and
 * linear graph algorithms, 1972.
 */
class TypeGroupsTests {

	private static final int MOST = 5;

	private final Map<String, Set<String>> uses = new TreeMap<>();

	private final Map<String, Integer> numbers = new HashMap<>();

	private final Deque<String> open = new ArrayDeque<>();

	private final List<Set<String>> groups = new ArrayList<>();

	@Test
	void fewTypesReachEachOther() {
		new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
			.importPackages("io.distributedlock")
			.forEach((type) -> type.getDirectDependenciesFromSelf()
				.forEach((dependency) -> note(nameOf(type), nameOf(dependency.getTargetClass()))));
		this.uses.keySet().forEach((type) -> {
			if (!this.numbers.containsKey(type)) {
				search(type);
			}
		});
		Set<String> largest = Collections.max(this.groups, Comparator.comparingInt(Set::size));
		System.out
			.println("The largest group of types that all reach each other has " + largest.size() + ": " + largest);
		assertThat(this.groups).hasSizeGreaterThan(300);
		assertThat(largest).hasSizeLessThanOrEqualTo(MOST);
	}

	private void note(String type, String used) {
		if (used.startsWith("io.distributedlock.")) {
			this.uses.computeIfAbsent(type, (name) -> new TreeSet<>()).add(used);
		}
	}

	private static String nameOf(JavaClass type) {
		JavaClass element = type.getBaseComponentType();
		String name = element.getName();
		int nested = name.indexOf('$');
		return (nested > 0) ? name.substring(0, nested) : name;
	}

	/**
	 * Search from a type.
	 * @return the lowest number of an open type that it reaches
	 */
	private int search(String type) {
		int number = this.numbers.size();
		int lowest = number;
		this.numbers.put(type, number);
		this.open.push(type);
		for (String used : this.uses.getOrDefault(type, Set.of())) {
			if (!this.numbers.containsKey(used)) {
				lowest = Math.min(lowest, search(used));
			}
			else if (this.open.contains(used)) {
				lowest = Math.min(lowest, this.numbers.get(used));
			}
		}
		if (lowest == number) {
			Set<String> group = new TreeSet<>();
			while (!group.contains(type)) {
				group.add(this.open.pop());
			}
			this.groups.add(group);
		}
		return lowest;
	}

}
