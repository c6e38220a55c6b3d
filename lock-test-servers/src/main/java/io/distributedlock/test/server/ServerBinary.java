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
 * The program of a server, and how a newcomer's machine comes by it: a program on the
 * {@code PATH}, else what a Maven artifact carries, else the package of the distribution,
 * unpacked into the build folder without root. Where there is none of them the test is
 * skipped and says why; with the environment variable {@code CI=true} it fails instead.
 *
 * @param path the program
 * @param libraries the folder of the libraries that came with it, if any
 * @since 0.1
 */
public record ServerBinary(Path path, @Nullable Path libraries) {

	/**
	 * Return a program on the {@code PATH}, or in one of the folders where distributions
	 * hide servers.
	 * @param name the name of the program
	 * @param furtherFolders folders beyond the {@code PATH}
	 * @return the program, if there is one that can be run
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
	 * Return a program from a package of Debian or Ubuntu, fetched once per build.
	 * @param packageName the package
	 * @param program the program's path inside the package, such as {@code usr/bin/etcd}
	 * @param parts further packages that hold a part of it
	 * @return the program; empty where there is no such package manager or package
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
	 * @param server the name of the server, for the reason of a skipped test
	 * @param sources where to look, in this order
	 * @return the program
	 */
	public static ServerBinary require(String server, List<Supplier<Optional<ServerBinary>>> sources) {
		return sources.stream()
			.flatMap((source) -> source.get().stream())
			.findFirst()
			.orElseThrow(() -> missing(
					"There is no %s on this machine: none on the PATH, in an artifact or as a package of the distribution"
						.formatted(server)));
	}

	/**
	 * End a test that has no server to run against: it is skipped, but fails with
	 * {@code CI=true}.
	 * @param reason what is missing
	 * @return the exception to throw, where a skipped test has not thrown one already
	 */
	public static RuntimeException missing(String reason) {
		if ("true".equals(System.getenv("CI"))) {
			return new IllegalStateException(reason + ". With CI=true no backend may be left out.");
		}
		return Assumptions.abort(reason);
	}

	/**
	 * Return what the environment of the program needs.
	 * @return variables by name
	 */
	public Map<String, String> environment() {
		return (this.libraries != null) ? Map.of("LD_LIBRARY_PATH", this.libraries.toString()) : Map.of();
	}

}
