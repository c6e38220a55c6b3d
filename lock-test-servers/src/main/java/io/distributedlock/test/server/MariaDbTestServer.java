package io.distributedlock.test.server;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A real mariadbd: the program that the system property {@code lock.test.mariadb} names,
 * or else the one on the {@code PATH}, or else that of a Debian package. The program's
 * further files are beside it, as in {@code usr/sbin} and {@code usr/share}, or in the
 * folder that {@code lock.test.mariadb.base} names, such as {@code /usr}. The driver of
 * MariaDB must be on the class path.
 *
 * @since 0.1
 */
public final class MariaDbTestServer extends MySqlFamilyServer {

	private static final List<Supplier<Optional<ServerBinary>>> SOURCES = List.of(
			() -> ServerBinary.fromProperty("lock.test.mariadb"),
			() -> ServerBinary.onPath("mariadbd", Path.of("/usr/sbin")),
			() -> ServerBinary.fromDebianPackage("mariadb-server-core", "usr/sbin/mariadbd"));

	private final ServerBinary binary;

	private final Path base;

	private MariaDbTestServer(ServerBinary binary) {
		super("mariadb");
		this.binary = binary;
		String given = System.getProperty("lock.test.mariadb.base");
		this.base = (given != null) ? Path.of(given) : binary.path().toAbsolutePath().resolve("../..").normalize();
	}

	/**
	 * Return whether this machine has the program.
	 * @return {@code true} if a server can be started
	 */
	public static boolean isAvailable() {
		return SOURCES.stream().anyMatch((source) -> source.get().isPresent());
	}

	/**
	 * Start a server. Without a program the test is skipped, see {@link ServerBinary}.
	 * @return the server, which is ready
	 */
	public static MariaDbTestServer run() {
		ServerBinary binary = ServerBinary.require("mariadbd", SOURCES);
		MariaDbTestServer server = new MariaDbTestServer(binary);
		server.prepare(server.makeData());
		server.start();
		return server;
	}

	@Override
	public String url() {
		return "jdbc:mariadb://127.0.0.1:%s/locks".formatted(port());
	}

	/**
	 * Commits must survive the end of the process, but not that of the machine, which
	 * saves time.
	 */
	@Override
	protected List<String> command() {
		List<String> command = program(folder().resolve("data"), folder());
		command.addAll(List.of("--init-file=" + folder().resolve("init.sql"), "--bind-address=127.0.0.1",
				"--port=" + port(), "--socket=" + folder().resolve("socket"), "--skip-name-resolve",
				"--innodb-flush-log-at-trx-commit=2", "--max-connections=400"));
		return command;
	}

	@Override
	protected Map<String, String> environment() {
		return this.binary.environment();
	}

	/**
	 * Write the system tables of the server, as its installation does.
	 */
	private Path makeData() {
		try {
			return BuildFolder.once("mariadb-data-%08x".formatted(Objects.hash(this.binary.path(), this.base)),
					(work) -> {
						Path data = Files.createDirectory(work.resolve("data"));
						// a file, as a program that does not read would stop who writes
						Path input = work.resolve("bootstrap.sql");
						try (OutputStream in = Files.newOutputStream(input)) {
							in.write("""
									create database if not exists mysql;
									use mysql;
									set @auth_root_socket=NULL;
									set @skip_auth_anonymous=1;
									set @current_hostname='localhost';
									""".getBytes(StandardCharsets.UTF_8));
							Files.copy(script("system_tables.sql"), in);
							Files.copy(script("system_tables_data.sql"), in);
						}
						List<String> command = program(data, work);
						command.addAll(List.of("--bootstrap", "--max_allowed_packet=8M"));
						ProcessBuilder builder = new ProcessBuilder(command).redirectInput(input.toFile());
						builder.environment().putAll(environment());
						BuildFolder.run(work, builder);
						return data;
					});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A server that starts removes what another one keeps in the same folder for
	 * temporary files.
	 */
	private List<String> program(Path data, Path temporary) {
		List<String> command = new ArrayList<>(List.of(this.binary.path().toString(), "--no-defaults",
				"--basedir=" + this.base, "--lc-messages-dir=" + scripts(), "--datadir=" + data,
				"--tmpdir=" + temporary, "--innodb-log-file-size=8M"));
		if ("root".equals(System.getProperty("user.name"))) {
			command.add("--user=root");
		}
		return command;
	}

	private Path script(String name) {
		Path former = scripts().resolve("mysql_" + name);
		return Files.exists(former) ? former : scripts().resolve("mariadb_" + name);
	}

	private Path scripts() {
		Path mysql = this.base.resolve("share/mysql");
		return Files.isDirectory(mysql) ? mysql : this.base.resolve("share/mariadb");
	}

}
