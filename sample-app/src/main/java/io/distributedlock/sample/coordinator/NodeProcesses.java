package io.distributedlock.sample.coordinator;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.distributedlock.sample.SampleApplication;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * The JVMs of the nodes. A JVM that ends is restarted.
 */
@Component
class NodeProcesses implements DisposableBean {

	private static final int RESTART_SECONDS = 2;

	private final Map<Integer, Process> processes = new ConcurrentHashMap<>();

	private final ScheduledExecutorService restarts = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "restart-nodes");
		thread.setDaemon(true);
		return thread;
	});

	private final Backend backend;

	private volatile boolean stopping;

	NodeProcesses(Backend backend) {
		this.backend = backend;
		Runtime.getRuntime().addShutdownHook(new Thread(this::destroy, "end-nodes"));
	}

	void start(int node, int coordinatorPort) {
		List<String> command = new ArrayList<>();
		command.add(ProcessHandle.current().info().command().orElse("java"));
		command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
		command.add("-Ddemo.server-pids="
				+ this.backend.pids().stream().map(String::valueOf).collect(Collectors.joining(",")));
		String classPath = System.getProperty("java.class.path", "");
		boolean executableJar = classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator);
		command.addAll(executableJar ? List.of("-jar", classPath) : List.of(SampleApplication.class.getName()));
		command.addAll(List.of(SampleApplication.NODE_ROLE, "--demo.node=" + node,
				"--demo.coordinator=http://127.0.0.1:" + coordinatorPort));
		ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
		builder.environment().put("CLASSPATH", classPath);
		// not as arguments, because every user of the machine can read these
		this.backend.settings()
			.forEach((name, value) -> builder.environment()
				.put(name.toUpperCase(Locale.ROOT).replace('.', '_').replace("-", ""), value));
		try {
			Process process = builder.start();
			this.processes.put(node, process);
			if (this.stopping) {
				process.destroy();
			}
			process.onExit().thenRun(() -> restartLater(node, coordinatorPort));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * End a node immediately, like {@code kill -9}.
	 */
	void kill(int node) {
		Process process = this.processes.get(node);
		if (process != null) {
			process.destroyForcibly();
		}
	}

	boolean isAlive(int node) {
		Process process = this.processes.get(node);
		return process != null && process.isAlive();
	}

	@Override
	public void destroy() {
		this.stopping = true;
		this.restarts.shutdownNow();
		this.processes.values().forEach(Process::destroy);
		for (Process process : this.processes.values()) {
			try {
				if (!process.waitFor(3, TimeUnit.SECONDS)) {
					process.destroyForcibly();
				}
			}
			catch (InterruptedException ex) {
				process.destroyForcibly();
				Thread.currentThread().interrupt();
			}
		}
	}

	private void restartLater(int node, int coordinatorPort) {
		if (!this.stopping) {
			this.restarts.schedule(() -> start(node, coordinatorPort), RESTART_SECONDS, TimeUnit.SECONDS);
		}
	}

}
