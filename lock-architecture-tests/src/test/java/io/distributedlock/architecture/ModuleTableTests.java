package io.distributedlock.architecture;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
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

	/**
	 * The faces of lock-core: what others see of it.
	 */
	private static final String[] FACES = { "io.distributedlock", "io.distributedlock.event",
			"io.distributedlock.fencing", "io.distributedlock.spi.." };

	private static final String[] CORE = join(FACES, "io.distributedlock.engine..", "io.distributedlock.local..");

	private static final String[] KIT = { "io.distributedlock.test", "io.distributedlock.test.network..",
			"io.distributedlock.test.patience..", "io.distributedlock.test.process.." };

	/**
	 * What lock-test has for tests of applications.
	 */
	private static final String TEST_LOCKS = "io.distributedlock.test.locks..";

	/**
	 * A clock for tests of applications.
	 */
	private static final String TEST_CLOCK = "io.distributedlock.test.clock";

	/**
	 * What the providers on Redis share.
	 */
	private static final String REDIS_SCRIPTS = "io.distributedlock.redis.scripts..";

	private static final String[] SPRING = { "io.distributedlock.annotation..", "io.distributedlock.spring.." };

	private static final String PROVIDER = "lock-provider-";

	/**
	 * The packages of each module, and what it may use beside the JDK and itself. Those
	 * with clients of backends are added by {@link #table()}.
	 */
	private static final Map<String, Module> TABLE = Map.ofEntries(
			Map.entry("lock-core", new Module(CORE, "org.slf4j..")),
			Map.entry("lock-spring",
					new Module(SPRING, join(FACES, "org.slf4j..", "org.aopalliance..", "org.springframework.aop..",
							"org.springframework.aot..", "org.springframework.beans..", "org.springframework.context..",
							"org.springframework.core..", "org.springframework.expression..",
							"org.springframework.format..", "org.springframework.scheduling..",
							"org.springframework.util..", "org.springframework.asm..",
							"org.springframework.transaction..", "org.springframework.integration..",
							"org.springframework.http..", "org.aspectj.lang..", "reactor.core..", "reactor.util..",
							"org.reactivestreams..", "kotlin", "kotlin.coroutines..", "kotlinx.coroutines.."))),
			Map.entry("lock-micrometer",
					new Module(new String[] { "io.distributedlock.micrometer.." },
							join(CORE, "org.slf4j..", "io.micrometer.."))),
			Map.entry("lock-rewrite", new Module(new String[] { "io.distributedlock.rewrite" }, "org.openrewrite..")),
			Map.entry("lock-redis-scripts", new Module(new String[] { REDIS_SCRIPTS }, FACES)),
			Map.entry("lock-test",
					new Module(join(KIT, TEST_LOCKS, TEST_CLOCK),
							join(CORE, "org.slf4j..", "org.junit.jupiter..", "org.assertj..", "org.awaitility.."))),
			Map.entry("lock-spring-boot-test",
					new Module(new String[] { "io.distributedlock.boot.test.." },
							join(CORE, TEST_LOCKS, TEST_CLOCK, "io.distributedlock.autoconfigure",
									"org.springframework.."))),
			Map.entry("lock-test-servers",
					new Module(new String[] { "io.distributedlock.test.server.." },
							join(join(KIT, CORE), "org.slf4j..", "org.junit.jupiter..", "org.assertj..",
									"org.awaitility..", "redis.embedded..", "org.testcontainers..",
									"net.javacrumbs.shedlock.."))));

	/**
	 * Methods that wait for ever if they have no parameter.
	 */
	private static final Map<Class<?>, String> WAITS = Map.of(Process.class, "waitFor", Thread.class, "join",
			CountDownLatch.class, "await", CyclicBarrier.class, "await", Semaphore.class, "acquire",
			BlockingQueue.class, "take");

	/**
	 * The threads of the second are daemons without the class loader of an application.
	 */
	private static final Set<String> MAKERS_OF_THREADS = Set.of("io.distributedlock.spi.support.DaemonThreads",
			"io.distributedlock.spi.support.DelayedTasks");

	private static final String INSIDE = ".internal";

	/**
	 * The packages below the root of a module, by that root, and which of them each may
	 * use. The root may use all of them, and none of them uses the root.
	 */
	private static final Map<String, Map<String, Set<String>>> ROOMS = Map.of("io.distributedlock.spring",
			Map.of("aspectj", Set.of(), "integration", Set.of("internal.expression"), "internal.support", Set.of(),
					"internal.expression", Set.of(), "internal.reach", Set.of(), "internal.returntype",
					Set.of("internal.support"), "internal.transaction", Set.of("internal.support"),
					"internal.invocation", Set.of("internal.returntype", "internal.transaction", "internal.support"),
					"internal.operation",
					Set.of("internal.expression", "internal.invocation", "internal.reach", "internal.returntype",
							"internal.transaction", "internal.support")),
			"io.distributedlock.engine.internal",
			Map.of("runtime", Set.of(), "request", Set.of("runtime"), "event", Set.of("request", "runtime"), "lease",
					Set.of("event", "request", "runtime"), "key", Set.of("lease", "event", "request", "runtime"),
					"handle", Set.of("lease", "event", "request", "runtime"), "acquire",
					Set.of("handle", "key", "lease", "event", "request", "runtime"), "monitor",
					Set.of("key", "lease", "request", "runtime")),
			"io.distributedlock.jdbc.internal",
			Map.of("call", Set.of(), "signal", Set.of("call"), "session", Set.of("signal", "call"), "table",
					Set.of("signal", "call")),
			"io.distributedlock.redis.internal", Map.of("client", Set.of()), "io.distributedlock.redisson.internal",
			Map.of("client", Set.of()), "io.distributedlock.redis.scripts", Map.of("script", Set.of()),
			"io.distributedlock.benchmarks.contention", Map.of("contender", Set.of(), "server", Set.of("contender"),
					"worker", Set.of("contender"), "measure", Set.of("worker", "server", "contender")));

	private static final Pattern TYPE = Pattern
		.compile("(?m)^(?:(?:public|final|abstract|sealed|non-sealed) )*(?:class|interface|enum|record|@interface) ");

	private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([a-z0-9_.]+)\\.[A-Z]");

	private static final int MOST_TYPES = 20;

	@Test
	void everyModuleIsInTheTableAndSeen() throws IOException {
		Set<String> seen = new TreeSet<>();
		CLASSES.forEach((type) -> seen.add(moduleOf(type)));
		Set<String> onDisk = new TreeSet<>(packagesOnDisk().keySet());
		// programs, which nothing else can depend on
		onDisk.removeAll(Set.of("sample-app", "lock-benchmarks", "large-application", "aot-application"));
		assertThat(seen).as("modules that these tests depend on").isEqualTo(onDisk);
		assertThat(table().keySet()).as("modules in the table").isEqualTo(onDisk);
	}

	@TestFactory
	List<DynamicTest> moduleUsesOnlyWhatTheTableAllows() throws IOException {
		return table().entrySet()
			.stream()
			.map((entry) -> DynamicTest.dynamicTest(entry.getKey(),
					() -> entry.getValue().rule(entry.getKey()).check(CLASSES)))
			.toList();
	}

	@Test
	void noPackageIsSplitOverTwoModules() throws IOException {
		Map<String, Set<String>> modules = new TreeMap<>();
		packagesOnDisk().forEach((module, packages) -> packages
			.forEach((name) -> modules.computeIfAbsent(name, (ignored) -> new TreeSet<>()).add(module)));
		assertThat(modules).isNotEmpty().allSatisfy((name, owners) -> assertThat(owners).as(name).hasSize(1));
	}

	@Test
	void packagesHaveNoCycles() {
		slices().assignedFrom(new EachPackage()).should().beFreeOfCycles().check(CLASSES);
	}

	@TestFactory
	Stream<DynamicTest> packageUsesOnlyThoseBelowIt() {
		return ROOMS.entrySet()
			.stream()
			.flatMap((rooms) -> rooms.getValue()
				.entrySet()
				.stream()
				.map((room) -> DynamicTest.dynamicTest(rooms.getKey() + "." + room.getKey(),
						() -> roomRule(rooms.getKey(), room.getKey(), room.getValue()))));
	}

	private static void roomRule(String root, String room, Set<String> mayUse) throws IOException {
		Set<String> packages = new TreeSet<>(Set.of(root + "." + room));
		mayUse.forEach((each) -> packages.add(root + "." + each));
		noClasses().that()
			.resideInAPackage(root + "." + room)
			.should()
			.dependOnClassesThat(describe("are in a package that is not below it",
					(type) -> isOfModule(root, type.getPackageName()) && !packages.contains(type.getPackageName())))
			.allowEmptyShould(true)
			.check(CLASSES);
		// a program is not on this class path, and has sources
		assertThat(imported(root + "." + room)).filteredOn((name) -> isOfModule(root, name)).isSubsetOf(packages);
	}

	/**
	 * Return whether a package belongs to the module of these rooms, and not to another
	 * one whose packages begin with the same words.
	 */
	private static boolean isOfModule(String root, String packageName) {
		return isBelow(moduleOfRooms(root), packageName) && ROOMS.keySet()
			.stream()
			.filter((other) -> !other.equals(root) && isBelow(moduleOfRooms(root), other))
			.noneMatch((other) -> isBelow(other, packageName));
	}

	private static boolean isBelow(String root, String packageName) {
		return (packageName + ".").startsWith(root + ".");
	}

	private static Set<String> imported(String name) throws IOException {
		Set<String> imported = new TreeSet<>();
		for (Path sources : sourcesOnDisk()) {
			Path folder = sources.resolve(name.replace('.', '/'));
			for (Path file : Files.isDirectory(folder) ? files(folder) : List.<Path>of()) {
				IMPORT.matcher(Files.readString(file)).results().forEach((found) -> imported.add(found.group(1)));
			}
		}
		return imported;
	}

	private static String moduleOfRooms(String root) {
		return root.replace(INSIDE, "");
	}

	@Test
	void everyPackageHasItsRule() throws IOException {
		for (Map.Entry<String, Map<String, Set<String>>> rooms : ROOMS.entrySet()) {
			assertThat(packagesBelow(rooms.getKey())).isEqualTo(rooms.getValue().keySet());
		}
	}

	private static Set<String> packagesBelow(String root) throws IOException {
		Set<String> packages = new TreeSet<>();
		packagesOnDisk().values()
			.forEach((names) -> names.stream()
				.map((name) -> name.replace(File.separatorChar, '.'))
				.filter((name) -> name.startsWith(root + "."))
				.forEach((name) -> packages.add(name.substring(root.length() + 1))));
		return packages;
	}

	/**
	 * A reader learns the types of a package before what they do together. The kit is a
	 * list of cases.
	 */
	@Test
	void packagesHaveFewTypes() throws IOException {
		Map<String, Integer> types = new TreeMap<>();
		for (Path sources : sourcesOnDisk()) {
			for (Path file : files(sources)) {
				types.merge(sources.relativize(file).getParent().toString().replace(File.separatorChar, '.'),
						(int) TYPE.matcher(Files.readString(file)).results().count(), Integer::sum);
			}
		}
		types.remove("io.distributedlock.test");
		Map.Entry<String, Integer> largest = Collections.max(types.entrySet(), Map.Entry.comparingByValue());
		System.out.println("The largest package is " + largest.getKey() + ", with " + largest.getValue() + " types");
		assertThat(largest.getValue()).isLessThanOrEqualTo(MOST_TYPES);
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
	void nothingIsSynchronized() throws IOException {
		// a virtual thread that waits for a backend inside a monitor pins its carrier
		noCodeUnits().should().haveModifier(JavaModifier.SYNCHRONIZED).check(CLASSES);
		// ArchUnit sees methods only
		for (Path sources : sourcesOnDisk()) {
			for (Path file : files(sources)) {
				assertThat(Files.readString(file)).as(file.toString()).doesNotContainPattern("\\bsynchronized\\s*\\(");
			}
		}
	}

	/**
	 * The JVM's common pool belongs to the application, which may block all its threads.
	 */
	@Test
	void nothingRunsInTheCommonPool() {
		noClasses().should()
			.callMethodWhere(describe("a method of CompletableFuture that picks the executor itself",
					(call) -> call.getTargetOwner().isAssignableTo(CompletableFuture.class)
							&& (call.getName().endsWith("Async") || call.getName().equals("delayedExecutor"))
							&& call.getTarget()
								.getRawParameterTypes()
								.stream()
								.noneMatch((type) -> type.isEquivalentTo(Executor.class))))
			.orShould()
			.callMethod(ForkJoinPool.class, "commonPool")
			.orShould()
			.callMethodWhere(describe("a parallel stream", (call) -> call.getName().equals("parallelStream")))
			.check(CLASSES);
	}

	/**
	 * A test that hangs says nothing. Futures in the cases of the kit are left out: JUnit
	 * ends a case, and says where it was.
	 */
	@Test
	void helpersOfTestsWaitWithALimit() {
		noClasses().that()
			.resideInAPackage("io.distributedlock.test..")
			.should()
			.callMethodWhere(describe("a wait that has no limit",
					(call) -> call.getTarget().getRawParameterTypes().isEmpty() && WAITS.entrySet()
						.stream()
						.anyMatch((wait) -> call.getTargetOwner().isAssignableTo(wait.getKey())
								&& call.getName().equals(wait.getValue()))))
			.check(CLASSES);
		noClasses().that()
			.resideInAnyPackage("io.distributedlock.test.process..", "io.distributedlock.test.network..",
					"io.distributedlock.test.server..")
			.should()
			.callMethodWhere(describe("a wait for a future that has no limit",
					(call) -> call.getTargetOwner().isAssignableTo(Future.class)
							&& call.getTarget().getRawParameterTypes().isEmpty()
							&& (call.getName().equals("get") || call.getName().equals("join"))
							&& call.getOrigin()
								.getMethodCallsFromSelf()
								.stream()
								.noneMatch((other) -> other.getName().equals("orTimeout"))))
			.check(CLASSES);
	}

	/**
	 * A thread that is no daemon keeps the JVM from ending, and one that inherits
	 * thread-locals shows those of one caller to others.
	 */
	@Test
	void threadsAreMadeByDaemonThreads() {
		noClasses()
			.that(describe("are in the product and make no threads for it",
					(type) -> moduleOf(type)
						.matches("lock-(core|spring|micrometer|provider-.*|redis-scripts|.*-autoconfigure)")
							&& !MAKERS_OF_THREADS.contains(type.getName())))
			.should()
			.callCodeUnitWhere(describe("a thread is made",
					(call) -> call.getTargetOwner().isAssignableTo(Executors.class)
							|| (call.getName().equals(JavaConstructor.CONSTRUCTOR_NAME) && makesThreads(call))))
			.orShould()
			.implement(ThreadFactory.class)
			.check(CLASSES);
	}

	/**
	 * Return whether a constructor is that of a thread, or of an executor without a
	 * factory of threads.
	 */
	private static boolean makesThreads(JavaCall<?> constructor) {
		JavaClass type = constructor.getTargetOwner();
		return type.isAssignableTo(Thread.class) || type.isAssignableTo(Timer.class)
				|| type.isAssignableTo(ForkJoinPool.class)
				|| (type.isAssignableTo(ThreadPoolExecutor.class) && constructor.getTarget()
					.getRawParameterTypes()
					.stream()
					.noneMatch((each) -> each.isEquivalentTo(ThreadFactory.class)));
	}

	@Test
	void autoConfigurationHasNoLockLogic() {
		noClasses().that()
			.resideInAPackage("io.distributedlock.autoconfigure..")
			.should()
			.beAssignableTo("io.distributedlock.LockTemplate")
			.orShould()
			.beAssignableTo("io.distributedlock.spi.LockProvider")
			.orShould()
			.beAssignableTo("io.distributedlock.spi.Lease")
			.orShould()
			.beAssignableTo("org.aopalliance.aop.Advice")
			.check(CLASSES);
	}

	/**
	 * A clock that a test sets runs the engine's timers.
	 */
	@Test
	void onlyAModuleAndTheClockOfTestsUseItsInside() {
		ROOMS.keySet()
			.stream()
			.map(ModuleTableTests::moduleOfRooms)
			.forEach((module) -> noClasses().that()
				.resideOutsideOfPackages(module + "..", TEST_CLOCK)
				.should()
				.dependOnClassesThat()
				.resideInAPackage(module + INSIDE + "..")
				.check(CLASSES));
	}

	@Test
	void spiKnowsNothingOfTheEngine() {
		noClasses().that()
			.resideInAnyPackage(FACES)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.distributedlock.engine..", "io.distributedlock.local..")
			.check(CLASSES);
	}

	private static String moduleOf(JavaClass type) {
		URI source = type.getSource().orElseThrow().getUri();
		Matcher matcher = Pattern.compile("(lock-[a-z-]+?)(-\\d[^/]*\\.jar|/target/)").matcher(source.toString());
		assertThat(matcher.find()).as(source.toString()).isTrue();
		return matcher.group(1);
	}

	/**
	 * Read from the sources, so that a module is found that nobody told these tests of.
	 */
	private static Map<String, Set<String>> packagesOnDisk() throws IOException {
		Map<String, Set<String>> packages = new TreeMap<>();
		for (Path sources : sourcesOnDisk()) {
			Set<String> names = new TreeSet<>();
			files(sources).forEach((file) -> names.add(sources.relativize(file).getParent().toString()));
			if (!names.isEmpty()) {
				packages.put(sources.getName(sources.getNameCount() - 4).toString(), names);
			}
		}
		return packages;
	}

	private static List<Path> sourcesOnDisk() {
		List<Path> sources = ProjectFiles.find((path) -> path.endsWith("src/main/java"));
		assertThat(sources).isNotEmpty();
		return sources;
	}

	private static List<Path> files(Path sources) throws IOException {
		try (Stream<Path> found = Files.walk(sources)) {
			return found.filter((path) -> path.toString().endsWith(".java")).toList();
		}
	}

	/**
	 * A provider's package is its name. It knows the faces of lock-core, and what its POM
	 * declares, where Spring and other providers are refused.
	 */
	private static Map<String, Module> table() throws IOException {
		Map<String, Module> table = new TreeMap<>(TABLE);
		String[] known = join(join(CORE, SPRING), "io.distributedlock.micrometer..");
		for (String module : packagesOnDisk().keySet()) {
			if (module.startsWith(PROVIDER)) {
				String root = "io.distributedlock." + module.substring(PROVIDER.length()) + "..";
				table.put(module, new Module(new String[] { root }, join(FACES, REDIS_SCRIPTS)).withLibraries());
				known = join(known, root);
			}
		}
		table.put("lock-spring-boot-autoconfigure",
				new Module(new String[] { "io.distributedlock.autoconfigure.." }, known).withLibraries());
		return table;
	}

	private static String[] join(String[] some, String... more) {
		return Stream.of(List.of(some), List.of(more)).flatMap(Collection::stream).toArray(String[]::new);
	}

	private static final class Module {

		private final String[] packages;

		private final String[] mayUse;

		/**
		 * Whether it may also use every library that its POM declares.
		 */
		private boolean libraries;

		private Module(String[] packages, String... mayUse) {
			this.packages = packages;
			this.mayUse = mayUse;
		}

		Module withLibraries() {
			this.libraries = true;
			return this;
		}

		ArchRule rule(String module) {
			DescribedPredicate<JavaClass> known = resideInAnyPackage(join(join(JDK, this.packages), this.mayUse));
			// not by package, or a new one would be nobody's
			return classes()
				.that(DescribedPredicate.describe("are in " + module, (type) -> module.equals(moduleOf(type))))
				.should()
				.onlyDependOnClassesThat(
						this.libraries ? known.or(resideOutsideOfPackage("io.distributedlock..")) : known);
		}

	}

	/**
	 * A pattern such as {@code io.distributedlock.(**)} leaves the root package out.
	 */
	private static final class EachPackage implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass type) {
			return SliceIdentifier.of(type.getPackageName());
		}

		@Override
		public String getDescription() {
			return "each package";
		}

	}

}
