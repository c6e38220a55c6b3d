package io.distributedlock.architecture;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the table of modules in docs/architecture.md: what each module may use.
 */
class ModuleTableTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages("io.distributedlock");

	private static final String[] JDK = { "java..", "javax..", "org.jspecify.." };

	private static final String[] CORE = { "io.distributedlock", "io.distributedlock.spi..",
			"io.distributedlock.engine..", "io.distributedlock.local.." };

	private static final String[] SPRING = { "io.distributedlock.annotation..", "io.distributedlock.spring.." };

	/**
	 * The packages of each module, and what it may use beside the JDK and itself. A
	 * provider's package is its name.
	 */
	private static final Map<String, Module> TABLE = Map.of("lock-core", new Module(CORE, "org.slf4j.."), "lock-spring",
			new Module(SPRING, join(CORE, "org.slf4j..", "org.aopalliance..", "org.springframework.aop..",
					"org.springframework.beans..", "org.springframework.context..", "org.springframework.core..",
					"org.springframework.expression..", "org.springframework.format..", "org.springframework.util..")),
			"lock-provider-redisson",
			new Module(new String[] { "io.distributedlock.redisson.." }, join(CORE, "org.slf4j..", "org.redisson..")),
			"lock-spring-boot-autoconfigure",
			new Module(new String[] { "io.distributedlock.autoconfigure.." },
					join(CORE, "io.distributedlock..", "org.springframework..", "org.redisson..")),
			"lock-test", new Module(new String[] { "io.distributedlock.test.." },
					join(CORE, "org.junit.jupiter..", "org.assertj..", "org.awaitility..", "redis.embedded..")));

	@Test
	void everyModuleIsInTheTableAndSeen() {
		assertThat(modulesOfPackages().values().stream().flatMap(Collection::stream).distinct())
			.containsExactlyInAnyOrderElementsOf(TABLE.keySet());
	}

	@TestFactory
	List<DynamicTest> moduleUsesOnlyWhatTheTableAllows() {
		return TABLE.entrySet()
			.stream()
			.map((entry) -> DynamicTest.dynamicTest(entry.getKey(), () -> entry.getValue().rule().check(CLASSES)))
			.toList();
	}

	@Test
	void noPackageIsSplitOverTwoModules() {
		assertThat(modulesOfPackages()).allSatisfy((name, modules) -> assertThat(modules).as(name).hasSize(1));
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching("io.distributedlock.(**)").should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void everyPackageIsNullMarked() {
		Set<String> packages = new TreeSet<>();
		CLASSES.forEach((type) -> packages.add(type.getPackageName()));
		assertThat(packages).isNotEmpty()
			.allSatisfy(
					(name) -> assertThat(Class.forName(name + ".package-info").isAnnotationPresent(NullMarked.class))
						.as(name)
						.isTrue());
	}

	@Test
	void nothingIsSynchronized() {
		// a virtual thread that waits for a backend inside a monitor pins its carrier
		noCodeUnits().should().haveModifier(JavaModifier.SYNCHRONIZED).check(CLASSES);
	}

	@Test
	void spiKnowsNothingOfTheEngine() {
		noClasses().that()
			.resideInAnyPackage("io.distributedlock", "io.distributedlock.spi..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.distributedlock.engine..", "io.distributedlock.local..")
			.check(CLASSES);
	}

	private static Map<String, Set<String>> modulesOfPackages() {
		Map<String, Set<String>> modules = new TreeMap<>();
		for (JavaClass type : CLASSES) {
			modules.computeIfAbsent(type.getPackageName(), (ignored) -> new TreeSet<>())
				.add(module(type.getSource().orElseThrow().getUri()));
		}
		return modules;
	}

	private static String module(URI source) {
		Matcher matcher = Pattern.compile("(lock-[a-z-]+?)(-\\d[^/]*\\.jar|/target/)").matcher(source.toString());
		assertThat(matcher.find()).as(source.toString()).isTrue();
		return matcher.group(1);
	}

	private static String[] join(String[] some, String... more) {
		return Stream.of(List.of(some), List.of(more)).flatMap(Collection::stream).toArray(String[]::new);
	}

	private static final class Module {

		private final String[] packages;

		private final String[] mayUse;

		private Module(String[] packages, String... mayUse) {
			this.packages = packages;
			this.mayUse = mayUse;
		}

		ArchRule rule() {
			return classes().that()
				.resideInAnyPackage(this.packages)
				.should()
				.onlyDependOnClassesThat()
				.resideInAnyPackage(join(join(JDK, this.packages), this.mayUse));
		}

	}

}
