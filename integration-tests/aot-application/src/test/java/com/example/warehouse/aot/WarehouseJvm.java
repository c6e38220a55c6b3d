package com.example.warehouse.aot;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import com.example.warehouse.WarehouseApplication;
import io.distributedlock.test.patience.Patience;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application in a JVM of its own, with the class path that it would have if it were
 * deployed.
 */
final class WarehouseJvm implements AutoCloseable {

	private final Process process;

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private final Thread reader;

	private WarehouseJvm(Process process) {
		this.process = process;
		this.reader = new Thread(() -> process.inputReader(StandardCharsets.UTF_8).lines().forEach(this.lines::add),
				"warehouse-output");
		this.reader.start();
	}

	static WarehouseJvm aheadOfTime(String... arguments) {
		return start(true, arguments);
	}

	static WarehouseJvm atRunTime(String... arguments) {
		return start(false, arguments);
	}

	private static WarehouseJvm start(boolean aheadOfTime, String... arguments) {
		List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dspring.aot.enabled=" + aheadOfTime,
				WarehouseApplication.class.getName()));
		command.addAll(List.of(arguments));
		// a JVM that has just started loads the database for seconds
		command.add("--lock.command-timeout=20s");
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().put("CLASSPATH", classPath());
		try {
			return new WarehouseJvm(builder.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String classPath() {
		String resource = "/class-path-of-aot-application.txt";
		try (InputStream in = WarehouseApplication.class.getResourceAsStream(resource)) {
			String jars = new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
			// tests run in the directory of the module
			return jars.trim() + File.pathSeparator + Path.of("target/classes").toAbsolutePath();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait for a line.
	 */
	void awaitLine(String beginning) {
		Patience.await()
			.until(() -> !this.process.isAlive() || this.lines.stream().anyMatch((line) -> line.startsWith(beginning)));
		assertThat(this.lines).anyMatch((line) -> line.startsWith(beginning));
	}

	/**
	 * Let the application go on that holds a lock.
	 */
	void goOn() throws IOException {
		this.process.getOutputStream().write('\n');
		this.process.getOutputStream().flush();
	}

	/**
	 * Wait for the end of the application, and return what it has printed for tests.
	 */
	List<String> saw() throws InterruptedException {
		assertThat(exitCode()).as("exit code of %s", this.lines).isZero();
		return this.lines.stream()
			.filter((line) -> line.startsWith(WarehouseApplication.PREFIX))
			.map((line) -> line.substring(WarehouseApplication.PREFIX.length()))
			.toList();
	}

	/**
	 * Wait for the application to fail, and return its log.
	 */
	String failure() throws InterruptedException {
		assertThat(exitCode()).as("exit code of %s", this.lines).isOne();
		return String.join("\n", this.lines);
	}

	private int exitCode() throws InterruptedException {
		assertThat(this.process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).as("has ended: %s", this.lines).isTrue();
		this.reader.join(Patience.LIMIT.toMillis());
		return this.process.exitValue();
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
