package io.distributedlock.test.server;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A real mariadbd: the one on the {@code PATH}, or else that of a Debian package. The
 * driver of MariaDB must be on the class path.
 *
 * @since 0.1
 */
public final class MariaDbTestServer extends ServerProcess {

	private static final List<Supplier<Optional<ServerBinary>>> SOURCES = List.of(
			() -> ServerBinary.onPath("mariadbd", Path.of("/usr/sbin")),
			() -> ServerBinary.fromDebianPackage("mariadb-server-core", "usr/sbin/mariadbd"));

	private final ServerBinary binary;

	private final Path base;

	private MariaDbTestServer(ServerBinary binary) {
		super("mariadb");
		this.binary = binary;
		this.base = binary.path().toAbsolutePath().resolve("../..").normalize();
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
		server.bootstrap();
		server.start();
		return server;
	}

	/**
	 * Return the address for clients.
	 * @return the URL of an empty database for the user {@code app} with the password
	 * {@code secret}
	 */
	public String url() {
		return "jdbc:mariadb://127.0.0.1:%d/locks".formatted(port());
	}

	/**
	 * Commits must survive the end of the process, but not that of the machine, which
	 * saves time.
	 */
	@Override
	protected List<String> command() {
		List<String> command = program();
		command.addAll(List.of("--init-file=" + folder().resolve("init.sql"), "--bind-address=127.0.0.1",
				"--port=" + port(), "--socket=" + folder().resolve("socket"), "--skip-name-resolve",
				"--innodb-flush-log-at-trx-commit=2", "--max-connections=400"));
		return command;
	}

	@Override
	protected Map<String, String> environment() {
		return this.binary.environment();
	}

	@Override
	protected boolean isReady() {
		try (Connection connection = DriverManager.getConnection(url(), "app", "secret")) {
			return connection.isValid(2);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Write the system tables of the server, as its installation does.
	 */
	private void bootstrap() {
		try {
			Files.createDirectory(folder().resolve("data"));
			Files.writeString(folder().resolve("init.sql"), """
					CREATE DATABASE IF NOT EXISTS locks;
					CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY 'secret';
					GRANT ALL ON *.* TO 'app'@'%' WITH GRANT OPTION;
					""");
			List<String> command = program();
			command.addAll(List.of("--bootstrap", "--max_allowed_packet=8M"));
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(folder().resolve("bootstrap.log").toFile());
			builder.environment().putAll(environment());
			Process process = builder.start();
			try (OutputStream in = process.getOutputStream()) {
				in.write("""
						create database if not exists mysql;
						use mysql;
						set @auth_root_socket=NULL;
						set @skip_auth_anonymous=1;
						set @current_hostname='localhost';
						""".getBytes(StandardCharsets.UTF_8));
				Files.copy(scripts().resolve("mysql_system_tables.sql"), in);
				Files.copy(scripts().resolve("mysql_system_tables_data.sql"), in);
			}
			if (process.waitFor() != 0) {
				throw new IllegalStateException(Files.readString(folder().resolve("bootstrap.log")));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A server that starts removes what another one keeps in the same folder for
	 * temporary files.
	 */
	private List<String> program() {
		List<String> command = new ArrayList<>(List.of(this.binary.path().toString(), "--no-defaults",
				"--basedir=" + this.base, "--lc-messages-dir=" + scripts(), "--datadir=" + folder().resolve("data"),
				"--tmpdir=" + folder()));
		if ("root".equals(System.getProperty("user.name"))) {
			command.add("--user=root");
		}
		return command;
	}

	private Path scripts() {
		Path mysql = this.base.resolve("share/mysql");
		return Files.isDirectory(mysql) ? mysql : this.base.resolve("share/mariadb");
	}

}
