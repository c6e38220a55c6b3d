package io.distributedlock.test.server;

import java.util.Map;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container, for machines without a program of the server but with a Docker
 * engine. Needs Testcontainers on the class path.
 *
 * @since 0.1
 */
public final class DockerServer implements AutoCloseable {

	private final GenericContainer<?> container;

	private final int containerPort;

	private DockerServer(GenericContainer<?> container, int containerPort) {
		this.container = container;
		this.containerPort = containerPort;
	}

	/**
	 * Return whether a Docker engine runs.
	 * @return {@code true} if containers can be started
	 */
	public static boolean isAvailable() {
		return DockerClientFactory.instance().isDockerAvailable();
	}

	/**
	 * Start a container and wait until its port is open. Without a Docker engine the test
	 * is skipped, see {@link ServerBinary}.
	 * @param image the image
	 * @param port the port inside the container
	 * @param environment variables for the container
	 * @param command the command to run, the image's own if empty
	 * @return the running server
	 */
	public static DockerServer run(String image, int port, Map<String, String> environment, String... command) {
		if (!isAvailable()) {
			throw ServerBinary
				.missing("This machine has neither a program for %s nor a Docker engine".formatted(image));
		}
		GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image)).withExposedPorts(port)
			.withEnv(environment);
		if (command.length > 0) {
			container.withCommand(command);
		}
		container.start();
		return new DockerServer(container, port);
	}

	/**
	 * Return the address for clients.
	 * @return host and port
	 */
	public String address() {
		return this.container.getHost() + ":" + this.container.getMappedPort(this.containerPort);
	}

	@Override
	public void close() {
		this.container.stop();
	}

}
