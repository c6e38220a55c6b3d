package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
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

	private static final String NAME = "redis-server";

	private RedisProgram() {
	}

	/**
	 * Return the program. Without one the test is skipped, see {@link ServerBinary}.
	 */
	static ServerBinary find() {
		String choice = System.getProperty(PROPERTY, ARTIFACT);
		return ServerBinary.require("%s (%s=%s)".formatted(NAME, PROPERTY, choice), sources(choice));
	}

	private static List<Supplier<Optional<ServerBinary>>> sources(String choice) {
		return switch (choice) {
			case ARTIFACT -> List.of(() -> Optional.of(fromArtifact()));
			// the package redis-tools contains the program itself
			case DISTRIBUTION ->
				List.of(() -> ServerBinary.fromDebianPackage(NAME, "usr/bin/redis-server", "redis-tools"),
						() -> ServerBinary.onPath(NAME));
			default -> List.of(() -> Optional.of(new ServerBinary(Path.of(choice), null)));
		};
	}

	private static ServerBinary fromArtifact() {
		URL artifact = ExecutableProvider.class.getProtectionDomain().getCodeSource().getLocation();
		try {
			Path folder = BuildFolder.once("redis-%08x".formatted(artifact.toString().hashCode()), (work) -> {
				Path written = ExecutableProvider.newJarResourceProvider(work.toFile()).get().toPath();
				Path root = Files.createDirectory(work.resolve("root"));
				BuildFolder.program(work, written, root.resolve(NAME));
				return root;
			});
			return new ServerBinary(folder.resolve(NAME), null);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
