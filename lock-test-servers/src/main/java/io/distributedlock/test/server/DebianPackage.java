package io.distributedlock.test.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
		Files.createDirectories(work.resolve("state/lists/partial"));
		Files.createDirectories(work.resolve("cache/archives/partial"));
		String[] own = { "-o", "Dir::State=" + work.resolve("state"), "-o", "Dir::State::status=/var/lib/dpkg/status",
				"-o", "Dir::Cache=" + work.resolve("cache"), "-o", "Debug::NoLocking=true", "-o",
				"APT::Sandbox::User=" + System.getProperty("user.name"), "-qq", "-y" };
		BuildFolder.run(work, new ProcessBuilder(concat("apt-get", own, "update")));
		// with --reinstall also packages that are installed here are downloaded
		List<String> install = concat("apt-get", own, "--no-install-recommends", "--download-only", "--reinstall",
				"install", packageName);
		install.addAll(List.of(parts));
		BuildFolder.run(work, new ProcessBuilder(install));
		try (Stream<Path> archives = Files.list(work.resolve("cache/archives"))) {
			for (Path archive : archives.filter((file) -> file.toString().endsWith(".deb")).toList()) {
				BuildFolder.run(work,
						new ProcessBuilder("dpkg-deb", "-x", archive.toString(), work.resolve("root").toString()));
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

}
