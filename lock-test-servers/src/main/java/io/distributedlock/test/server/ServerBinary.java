package io.distributedlock.test.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * The program of a server. Each server names the sources of its program and their order:
 * a system property, the {@code PATH}, a Maven artifact, or a package of the
 * distribution, which is unpacked into the build folder and needs no root. Without any of
 * them the test is skipped and says why. With the environment variable {@code CI=true} it
 * fails instead.
 *
 * @param path the program
 * @param libraries the folder of its libraries, if they came with it
 * @since 0.1
 */
public record ServerBinary(Path path, @Nullable Path libraries) {

	/**
	 * Return a program on the {@code PATH}, or in one of the folders in which
	 * distributions put servers.
	 * @param name the name of the program
	 * @param furtherFolders folders beyond the {@code PATH}
	 * @return the program, if there is an executable one
	 */
	public static Optional<ServerBinary> onPath(String name, Path... furtherFolders) {
		String path = System.getenv().getOrDefault("PATH", "");
		Stream<Path> folders = Stream.of(path.split(File.pathSeparator, -1)).map(Path::of);
		return Stream.concat(folders, Stream.of(furtherFolders))
			.map((folder) -> folder.resolve(name))
			.filter((file) -> Files.isRegularFile(file) && Files.isExecutable(file))
			.findFirst()
			.map((file) -> new ServerBinary(file, null));
	}

	/**
	 * Return the program that a system property names.
	 * @param property the name of the property, whose value is the path of a program
	 * @return the program; empty without the property
	 */
	public static Optional<ServerBinary> fromProperty(String property) {
		return Optional.ofNullable(System.getProperty(property)).map((path) -> new ServerBinary(Path.of(path), null));
	}

	/**
	 * Return a program from a package of Debian or Ubuntu. It is downloaded once for each
	 * build folder.
	 * @param packageName the package
	 * @param program the program's path inside the package, such as {@code usr/bin/etcd}
	 * @param parts further packages that contain a part of it
	 * @return the program; empty if there is no such package manager or package
	 */
	public static Optional<ServerBinary> fromDebianPackage(String packageName, String program, String... parts) {
		Path unpacked = DebianPackage.unpack(packageName, parts);
		if (unpacked == null || !Files.isExecutable(unpacked.resolve(program))) {
			return Optional.empty();
		}
		try (Stream<Path> libraries = Files.find(unpacked, 4, (file, attributes) -> attributes.isDirectory()
				&& file.toString().matches(".*/usr/lib/[^/]*-linux-gnu"))) {
			return Optional.of(new ServerBinary(unpacked.resolve(program), libraries.findFirst().orElse(null)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the first program that is found.
	 * @param server the name of the server, for the message of a skipped test
	 * @param sources the sources of the program, in their order
	 * @return the program
	 */
	public static ServerBinary require(String server, List<Supplier<Optional<ServerBinary>>> sources) {
		return sources.stream()
			.flatMap((source) -> source.get().stream())
			.findFirst()
			.orElseThrow(() -> missing(
					"There is no %s on this machine: not on the PATH, not in an artifact and not as a package of the distribution"
						.formatted(server)));
	}

	/**
	 * End a test that has no server: it is skipped, or fails with {@code CI=true}.
	 * @param reason what is missing
	 * @return the exception to throw with {@code CI=true}; to skip a test this method
	 * throws by itself
	 */
	public static RuntimeException missing(String reason) {
		if ("true".equals(System.getenv("CI"))) {
			return new IllegalStateException(reason + ". With CI=true the tests of every backend must run.");
		}
		return Assumptions.abort(reason);
	}

	/**
	 * Return the environment variables that the program needs.
	 * @return the values by name
	 */
	public Map<String, String> environment() {
		return (this.libraries != null) ? Map.of("LD_LIBRARY_PATH", this.libraries.toString()) : Map.of();
	}

}
