package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import redis.embedded.core.ExecutableProvider;

/**
 * Which redis-server the tests run, so that it is the same on every machine, whatever is
 * installed there. The system property {@value #PROPERTY} says it:
 * <ul>
 * <li>{@value #ARTIFACT}, the default: the one that the embedded-redis artifact carries,
 * 6.2</li>
 * <li>{@value #DISTRIBUTION}: the one of Debian's or Ubuntu's package, unpacked and not
 * installed, 7.0 on Debian 12; where there is no such package the one on the
 * {@code PATH}</li>
 * <li>a path: that program, for instance another version or a Valkey</li>
 * </ul>
 */
final class RedisProgram {

	static final String PROPERTY = "lock.test.redis";

	static final String ARTIFACT = "artifact";

	static final String DISTRIBUTION = "distribution";

	private RedisProgram() {
	}

	/**
	 * Return the program. A test without one is skipped, see {@link ServerBinary}.
	 */
	static ServerBinary find() {
		String choice = System.getProperty(PROPERTY, ARTIFACT);
		return ServerBinary.require("redis-server (%s=%s)".formatted(PROPERTY, choice), sources(choice));
	}

	private static List<Supplier<Optional<ServerBinary>>> sources(String choice) {
		return switch (choice) {
			case ARTIFACT -> List.of(RedisProgram::ofTheArtifact);
			// the program itself is in the package of the tools
			case DISTRIBUTION ->
				List.of(() -> ServerBinary.fromDebianPackage("redis-server", "usr/bin/redis-server", "redis-tools"),
						() -> ServerBinary.onPath("redis-server"));
			default -> List.of(() -> Optional.of(new ServerBinary(Path.of(choice), null)));
		};
	}

	private static Optional<ServerBinary> ofTheArtifact() {
		try {
			return Optional.of(new ServerBinary(ExecutableProvider.newJarResourceProvider().get().toPath(), null));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
