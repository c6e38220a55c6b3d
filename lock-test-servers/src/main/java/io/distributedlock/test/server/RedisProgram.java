package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import redis.embedded.core.ExecutableProvider;

/**
 * Chooses the redis-server of the tests, so that all machines run the same one, whatever
 * is installed there. The system property {@value #PROPERTY} selects it:
 * <ul>
 * <li>{@value #ARTIFACT}, the default: version 6.2 from the embedded-redis artifact</li>
 * <li>{@value #DISTRIBUTION}: the package of Debian or Ubuntu, which is unpacked and not
 * installed, version 7.0 on Debian 12. Without such a package it is the program on the
 * {@code PATH}</li>
 * <li>a path: that program, such as another version or Valkey</li>
 * </ul>
 */
final class RedisProgram {

	static final String PROPERTY = "lock.test.redis";

	static final String ARTIFACT = "artifact";

	static final String DISTRIBUTION = "distribution";

	private RedisProgram() {
	}

	/**
	 * Return the program. Without one the test is skipped, see {@link ServerBinary}.
	 */
	static ServerBinary find() {
		String choice = System.getProperty(PROPERTY, ARTIFACT);
		return ServerBinary.require("redis-server (%s=%s)".formatted(PROPERTY, choice), sources(choice));
	}

	private static List<Supplier<Optional<ServerBinary>>> sources(String choice) {
		return switch (choice) {
			case ARTIFACT -> List.of(() -> Optional.of(Artifact.PROGRAM));
			// the package redis-tools contains the program itself
			case DISTRIBUTION ->
				List.of(() -> ServerBinary.fromDebianPackage("redis-server", "usr/bin/redis-server", "redis-tools"),
						() -> ServerBinary.onPath("redis-server"));
			default -> List.of(() -> Optional.of(new ServerBinary(Path.of(choice), null)));
		};
	}

	/**
	 * Unpacked once for a JVM: a program that is written while another process starts
	 * cannot run.
	 */
	private static final class Artifact {

		private static final ServerBinary PROGRAM = unpack();

		private static ServerBinary unpack() {
			try {
				return new ServerBinary(ExecutableProvider.newJarResourceProvider().get().toPath(), null);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
