package io.distributedlock.sample.coordinator;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.distributedlock.sample.DemoClock;
import io.distributedlock.sample.SampleApplication;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * The JVMs of the nodes. A JVM that ends is restarted.
 */
@Component
class NodeProcesses implements DisposableBean {

	private static final int RESTART_SECONDS = 2;

	private final Map<Integer, Process> processes = new ConcurrentHashMap<>();

	private final Map<Long, String> urlsByPid = new ConcurrentHashMap<>();

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
		command.addAll(arguments(node, coordinatorPort));
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
			process.onExit().thenRun(() -> {
				this.urlsByPid.remove(process.pid());
				restartLater(node, coordinatorPort);
			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A node is ready to send messages.
	 */
	void ready(long pid, int port) {
		this.urlsByPid.put(pid, "http://127.0.0.1:" + port);
	}

	/**
	 * Return the address of a node, if it is ready.
	 */
	@Nullable String url(int node) {
		Process process = this.processes.get(node);
		return (process != null && process.isAlive()) ? this.urlsByPid.get(process.pid()) : null;
	}

	long pid(int node) {
		Process process = this.processes.get(node);
		return (process != null) ? process.pid() : 0;
	}

	boolean isStopping() {
		return this.stopping;
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

	/**
	 * Return what a node's application.yml does not say, or says for the real API.
	 */
	private static List<String> arguments(int node, int coordinatorPort) {
		return List.of(SampleApplication.NODE_ROLE, "--demo.node=" + node,
				"--demo.coordinator=http://127.0.0.1:" + coordinatorPort, "--server.port=0",
				"--wechat.url=" + NodeKiller.apiOf(node, coordinatorPort), "--wechat.secret=demo",
				"--wechat.refresh-ahead=" + DemoClock.real(Duration.ofMinutes(24)),
				"--wechat.longest-send=" + DemoClock.real(Duration.ofMinutes(14)),
				// a busy machine is no failure of the API
				"--spring.http.clients.connect-timeout=30s", "--spring.http.clients.read-timeout=30s",
				// how long the lock of a killed node stays
				"--lock.renewal.lease-time=3s", "--spring.main.banner-mode=off", "--logging.level.root=warn");
	}

	private void restartLater(int node, int coordinatorPort) {
		if (!this.stopping) {
			this.restarts.schedule(() -> start(node, coordinatorPort), RESTART_SECONDS, TimeUnit.SECONDS);
		}
	}

}
