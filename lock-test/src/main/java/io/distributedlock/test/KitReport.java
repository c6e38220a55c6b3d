package io.distributedlock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.distributedlock.LockCapability;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Writes down what each run of the kit has shown, for a table that compares providers: a
 * file per run in {@code target/lock-kit}, named by the display name of the test class.
 */
final class KitReport implements AfterTestExecutionCallback, AfterAllCallback {

	/**
	 * What an assumption throws that does not hold, such as that there is a server.
	 */
	private static final String ABORTED = "org.opentest4j.TestAbortedException";

	private static final Path FOLDER = Path.of("target", "lock-kit");

	private final Set<LockCapability> capabilities = ConcurrentHashMap.newKeySet();

	private final Collection<String> passed = ConcurrentHashMap.newKeySet();

	private final Collection<String> failed = ConcurrentHashMap.newKeySet();

	@Override
	public void afterTestExecution(ExtensionContext context) {
		String test = context.getRequiredTestMethod().getName();
		Throwable failure = context.getExecutionException().orElse(null);
		if (failure == null) {
			this.passed.add(test);
		}
		else if (!ABORTED.equals(failure.getClass().getName())) {
			this.failed.add(test);
		}
		if (context.getRequiredTestInstance() instanceof KitNodes kit) {
			this.capabilities.addAll(kit.capabilities());
		}
	}

	@Override
	public void afterAll(ExtensionContext context) {
		if (this.passed.isEmpty() && this.failed.isEmpty()) {
			return;
		}
		List<String> lines = new ArrayList<>();
		lines.add("capabilities="
				+ this.capabilities.stream().sorted().map(LockCapability::name).collect(Collectors.joining(",")));
		lines.add("passed=" + String.join(",", new TreeSet<>(this.passed)));
		lines.add("failed=" + String.join(",", new TreeSet<>(this.failed)));
		try {
			Files.createDirectories(FOLDER);
			Files.write(FOLDER.resolve(context.getDisplayName() + ".properties"), lines);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
