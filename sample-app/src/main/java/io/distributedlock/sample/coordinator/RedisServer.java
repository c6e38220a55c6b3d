package io.distributedlock.sample.coordinator;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * The Redis of the nodes: the one that the configuration names, else a server started
 * here, from the {@code PATH} or from the embedded-redis artifact.
 */
@Component
class RedisServer implements DisposableBean {

	private final List<String> clientArguments;

	private final String description;

	private final @Nullable Process process;

	RedisServer(Environment environment) throws IOException {
		List<String> given = List.of("url", "host", "port", "password", "username", "database")
			.stream()
			.map((name) -> "spring.data.redis." + name)
			.filter(environment::containsProperty)
			.map((name) -> "--" + name + "=" + environment.getProperty(name))
			.toList();
		if (!given.isEmpty()) {
			this.process = null;
			this.clientArguments = given;
			this.description = "as configured";
			return;
		}
		int port = freePort();
		File executable = onPath().orElse(null);
		File server = (executable != null) ? executable : ExecutableProvider.newJarResourceProvider().get();
		File folder = Files.createTempDirectory("sample-redis").toFile();
		folder.deleteOnExit();
		this.process = new ProcessBuilder(server.getPath(), "--port", Integer.toString(port), "--bind", "127.0.0.1",
				"--save", "", "--appendonly", "no", "--dir", folder.getPath())
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		Process started = this.process;
		// also where the context never comes to its end
		try {
			Runtime.getRuntime().addShutdownHook(new Thread(started::destroy, "end-redis"));
		}
		catch (IllegalStateException ex) {
			// Ctrl-C came just now
			started.destroy();
			throw ex;
		}
		this.clientArguments = List.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port);
		this.description = ((executable != null) ? executable.getPath() : "embedded") + " on port " + port;
	}

	List<String> clientArguments() {
		return this.clientArguments;
	}

	Optional<Long> pid() {
		return Optional.ofNullable(this.process).map(Process::pid);
	}

	String description() {
		return this.description;
	}

	@Override
	public void destroy() {
		if (this.process != null) {
			this.process.destroy();
		}
	}

	private static Optional<File> onPath() {
		for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
			File candidate = new File(folder, "redis-server");
			if (candidate.canExecute()) {
				return Optional.of(candidate);
			}
		}
		return Optional.empty();
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

}
