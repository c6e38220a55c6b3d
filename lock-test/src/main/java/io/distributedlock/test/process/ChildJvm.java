package io.distributedlock.test.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.distributedlock.test.patience.Patience;

/**
 * A second JVM with the class path of this one. It ends at {@link #close()} or when this
 * JVM ends.
 *
 * @since 0.1
 */
public final class ChildJvm implements AutoCloseable {

	private static final Duration LINE_TIMEOUT = Patience.stretched(Duration.ofMinutes(3));

	/**
	 * Options that start a JVM fast. Child JVMs live for seconds only.
	 */
	private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

	private final Process process;

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private final Thread reader;

	private final Thread shutdownHook;

	private ChildJvm(Process process) {
		this.process = process;
		this.shutdownHook = new Thread(process::destroyForcibly, "end-child-jvm");
		Runtime.getRuntime().addShutdownHook(this.shutdownHook);
		this.reader = new Thread(this::read, "child-jvm-output");
		this.reader.setDaemon(true);
		this.reader.start();
	}

	/**
	 * Start a JVM.
	 * @param mainClass the class to run
	 * @param arguments its arguments
	 * @return the running JVM
	 */
	public static ChildJvm start(Class<?> mainClass, String... arguments) {
		return start(List.of(), mainClass, arguments);
	}

	/**
	 * Start a JVM with options.
	 * @param options options of the JVM, such as system properties
	 * @param mainClass the class to run
	 * @param arguments its arguments
	 * @return the running JVM
	 */
	public static ChildJvm start(List<String> options, Class<?> mainClass, String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(ProcessHandle.current().info().command().orElse("java"));
		command.addAll(options);
		command.add(mainClass.getName());
		command.addAll(List.of(arguments));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		// in the environment, as the class path of a build may be too long for a command
		// line
		builder.environment()
			.put("CLASSPATH", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
		builder.environment().merge("JDK_JAVA_OPTIONS", SHORT_LIVED, (given, added) -> given + " " + added);
		try {
			return new ChildJvm(builder.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait until the JVM has printed a line.
	 * @param prefix the beginning of the line
	 * @return the first such line
	 */
	public String awaitLine(String prefix) {
		Patience.await("line '%s' of a child JVM".formatted(prefix))
			.atMost(LINE_TIMEOUT)
			.pollInterval(Duration.ofMillis(10))
			.failFast(() -> {
				// what the JVM has printed last may be read after its end
				if (!isAlive() && !this.reader.isAlive() && find(prefix).isEmpty()) {
					throw new IllegalStateException(
							"The child JVM ended without a line '%s': %s".formatted(prefix, this.lines));
				}
			})
			.until(() -> !find(prefix).isEmpty());
		return find(prefix).get(0);
	}

	/**
	 * Wait until the JVM has ended and all that it has printed was read.
	 * @return its exit status
	 */
	public int awaitExit() {
		int status = awaitEnd();
		Patience.await("last lines of a child JVM").until(() -> !this.reader.isAlive());
		return status;
	}

	private int awaitEnd() {
		try {
			if (!this.process.waitFor(LINE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException("The child JVM has not ended: " + this.lines);
			}
			return this.process.exitValue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Write a line to the standard input of the JVM.
	 * @param line the line
	 */
	public void send(String line) {
		try {
			Writer input = this.process.outputWriter(StandardCharsets.UTF_8);
			input.write(line + "\n");
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return what the JVM has printed so far.
	 * @return the lines
	 */
	public List<String> lines() {
		return List.copyOf(this.lines);
	}

	/**
	 * Return whether the JVM runs.
	 * @return {@code true} if so
	 */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * End the JVM immediately, as by {@code kill -9}.
	 */
	public void kill() {
		this.process.destroyForcibly();
		awaitEnd();
	}

	/**
	 * Ask the JVM to end, as by {@code kill -TERM} or Ctrl-C: its shutdown hooks run.
	 */
	public void terminate() {
		// Process.destroy() would close the output, and what the hooks print would be
		// lost
		Signals.send(this.process, "TERM");
	}

	/**
	 * Stop the JVM without ending it, as by {@code kill -STOP}.
	 */
	public void suspend() {
		Signals.send(this.process, "STOP");
	}

	/**
	 * Continue a suspended JVM.
	 */
	public void resume() {
		Signals.send(this.process, "CONT");
	}

	@Override
	public void close() {
		kill();
		Runtime.getRuntime().removeShutdownHook(this.shutdownHook);
	}

	private List<String> find(String prefix) {
		return this.lines.stream().filter((line) -> line.startsWith(prefix)).toList();
	}

	private void read() {
		try (BufferedReader reader = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				this.lines.add(line);
			}
		}
		catch (IOException ex) {
			this.lines.add("(output ended: " + ex + ")");
		}
	}

}
