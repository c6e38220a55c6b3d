package io.distributedlock.test.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Downloads a package of Debian or Ubuntu with its dependencies and unpacks them into a
 * folder. Nothing is installed, so no special rights are needed. The package manager
 * checks the signatures.
 */
final class DebianPackage {

	private static final Logger logger = LoggerFactory.getLogger(DebianPackage.class);

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
		try {
			return BuildFolder.once(packageName, (work) -> {
				fetch(packageName, parts, work);
				return work.resolve("root");
			});
		}
		catch (IOException ex) {
			logger.info("The package {} could not be downloaded: {}", packageName, ex.toString());
			return null;
		}
	}

	private static void fetch(String packageName, String[] parts, Path work) throws IOException {
		Path lists = BuildFolder.once("package-lists", (update) -> {
			Path made = Files.createDirectories(update.resolve("lists"));
			aptGet(update, made, "update");
			return made;
		});
		// with --reinstall also packages that are installed here are downloaded
		List<String> install = new ArrayList<>(
				List.of("--no-install-recommends", "--download-only", "--reinstall", "install", packageName));
		install.addAll(List.of(parts));
		aptGet(work, lists, install.toArray(String[]::new));
		try (Stream<Path> archives = Files.list(work.resolve("cache/archives"))) {
			for (Path archive : archives.filter((file) -> file.toString().endsWith(".deb")).toList()) {
				BuildFolder.run(work,
						new ProcessBuilder("dpkg-deb", "-x", archive.toString(), work.resolve("root").toString()));
			}
		}
	}

	private static void aptGet(Path work, Path lists, String... arguments) throws IOException {
		Files.createDirectories(lists.resolve("partial"));
		Files.createDirectories(work.resolve("state"));
		Files.createDirectories(work.resolve("cache/archives/partial"));
		List<String> command = new ArrayList<>(List.of("apt-get", "-o", "Dir::State=" + work.resolve("state"), "-o",
				"Dir::State::lists=" + lists, "-o", "Dir::State::status=/var/lib/dpkg/status", "-o",
				"Dir::Cache=" + work.resolve("cache"), "-o", "Debug::NoLocking=true", "-o",
				"APT::Sandbox::User=" + System.getProperty("user.name"), "-qq", "-y"));
		command.addAll(List.of(arguments));
		BuildFolder.run(work, new ProcessBuilder(command));
	}

}
