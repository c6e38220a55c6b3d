package io.distributedlock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.distributedlock.LockCapability;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Writes the results of each run of the kit to a file in {@code target/lock-kit}. The
 * display name of the test class is the name of the file. The table that compares the
 * providers is made from these files. If a failed case is run again by the same JVM, its
 * last result counts.
 */
final class KitReport implements AfterTestExecutionCallback, AfterAllCallback {

	/**
	 * The exception of an assumption that does not hold: the case is skipped.
	 */
	private static final String ABORTED = "org.opentest4j.TestAbortedException";

	private static final Path FOLDER = Path.of("target", "lock-kit");

	private static final Map<String, Results> RESULTS = new ConcurrentHashMap<>();

	@Override
	public void afterTestExecution(ExtensionContext context) {
		if (!(context.getRequiredTestInstance() instanceof KitNodes kit)) {
			// a test of a nested class
			return;
		}
		Results results = results(context.getParent().orElseThrow());
		Throwable failure = context.getExecutionException().orElse(null);
		if (failure == null || !ABORTED.equals(failure.getClass().getName())) {
			results.passed.put(context.getRequiredTestMethod().getName(), failure == null);
		}
		results.capabilities.addAll(kit.capabilities());
	}

	@Override
	public void afterAll(ExtensionContext context) {
		Results results = results(context);
		if (results.passed.isEmpty()) {
			return;
		}
		List<String> lines = List.of("capabilities="
				+ results.capabilities.stream().sorted().map(LockCapability::name).collect(Collectors.joining(",")),
				"passed=" + results.cases(true), "failed=" + results.cases(false));
		try {
			Files.createDirectories(FOLDER);
			Files.write(FOLDER.resolve(context.getDisplayName() + ".properties"), lines);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Results results(ExtensionContext context) {
		return RESULTS.computeIfAbsent(context.getUniqueId() + context.getDisplayName(), (ignored) -> new Results());
	}

	private static final class Results {

		private final Set<LockCapability> capabilities = ConcurrentHashMap.newKeySet();

		private final Map<String, Boolean> passed = new ConcurrentHashMap<>();

		private String cases(boolean passed) {
			return this.passed.entrySet()
				.stream()
				.filter((entry) -> entry.getValue() == passed)
				.map(Map.Entry::getKey)
				.sorted()
				.collect(Collectors.joining(","));
		}

	}

}
