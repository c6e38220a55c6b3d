package io.distributedlock.benchmarks.contention.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child JVM with the class path and the default compilers and collector, unlike those
 * of tests. What it writes to its error output goes to a file.
 */
public final class WorkerJvm implements AutoCloseable {

	private final Process process;

	private final BufferedReader output;

	private final Path log;

	private final Thread shutdownHook;

	private WorkerJvm(Process process, Path log) {
		this.process = process;
		this.output = process.inputReader(StandardCharsets.UTF_8);
		this.log = log;
		this.shutdownHook = new Thread(process::destroyForcibly, "end-worker");
		Runtime.getRuntime().addShutdownHook(this.shutdownHook);
	}

	/**
	 * Start a JVM.
	 * @param limit after which time it is killed, if it has not ended
	 */
	public static WorkerJvm start(Path log, Duration limit, Class<?> main, List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx512m", main.getName()));
		command.addAll(arguments);
		ProcessBuilder builder = new ProcessBuilder(command)
			.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
		// in the environment, as the class path of a build may be too long for a command
		builder.environment()
			.put("CLASSPATH", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
		WorkerJvm jvm = new WorkerJvm(builder.start(), log);
		Thread watch = new Thread(() -> jvm.endAfter(limit), "limit-of-worker");
		watch.setDaemon(true);
		watch.start();
		return jvm;
	}

	/**
	 * Take the standard output of this JVM for what it says to its parent. What anybody
	 * else prints, such as a log, goes to the error output: the parent does not read
	 * while a worker works, and a full pipe would stop the threads that log.
	 */
	@SuppressWarnings("SystemOut")
	static PrintStream takeOutput() {
		PrintStream parent = System.out;
		System.setOut(System.err);
		return parent;
	}

	public void send(String line) throws IOException {
		Writer input = this.process.outputWriter(StandardCharsets.UTF_8);
		input.write(line + "\n");
		input.flush();
	}

	/**
	 * Read lines until one begins with a word.
	 * @return the rest of that line
	 */
	public String await(String word) throws IOException {
		for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
			if (line.startsWith(word)) {
				return line.substring(word.length()).trim();
			}
		}
		throw new IOException("A worker ended without the line '%s': %s".formatted(word, Files.readString(this.log)));
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		try {
			Runtime.getRuntime().removeShutdownHook(this.shutdownHook);
		}
		catch (IllegalStateException ex) {
			// this JVM is ending, and the hook runs by itself
		}
	}

	private void endAfter(Duration limit) {
		try {
			if (!this.process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
