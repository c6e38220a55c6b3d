package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.process.Signals;
import io.distributedlock.test.server.ServerBinary;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A real PostgreSQL from a Maven artifact: an old one is on the class path, a new one in
 * the build folder.
 */
final class PostgresTestServer implements AutoCloseable {

	private static final Path NEWEST = Path.of("target", "postgres", "newest.jar");

	private final Path folder;

	private final boolean newest;

	private EmbeddedPostgres postgres;

	private final int port;

	private PostgresTestServer(boolean newest) throws IOException {
		this.newest = newest;
		this.folder = Files.createTempDirectory("postgres");
		this.postgres = start(0);
		this.port = this.postgres.getPort();
	}

	static PostgresTestServer run() {
		return run(false);
	}

	static PostgresTestServer runNewest() {
		String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
		if (!Files.exists(NEWEST) || !system.equals("Linux amd64")) {
			throw ServerBinary.missing("There is no newer PostgreSQL for " + system);
		}
		return run(true);
	}

	private static PostgresTestServer run(boolean newest) {
		try {
			return new PostgresTestServer(newest);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String url() {
		return url(this.port);
	}

	/**
	 * Return the URL that leads through a proxy.
	 */
	String url(int proxyPort) {
		return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(proxyPort);
	}

	int port() {
		return this.port;
	}

	/**
	 * Return how the kit creates providers on this server.
	 */
	ProviderSource source(JdbcLockStrategy strategy) {
		return Databases.source(strategy, JdbcDialect.POSTGRESQL, this::restart, url(), "postgres", "")
			.withStalls(this::suspend, this::resume)
			.withSchema(this::newSchema);
	}

	private Runnable newSchema() {
		String name = "nodes" + System.nanoTime();
		try (Connection connection = DriverManager.getConnection(url(), "postgres", "");
				Statement statement = connection.createStatement()) {
			statement.execute("create schema " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return Databases.creation(JdbcDialect.POSTGRESQL, url() + "?currentSchema=" + name, "postgres", "");
	}

	void restart() {
		try {
			this.postgres.close();
			this.postgres = start(this.port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kill the server, so that what it has not written is lost, and start it again.
	 */
	void crash() {
		ProcessHandle server = postmaster();
		// found before their parent has ended
		List<ProcessHandle> processes = server.descendants().toList();
		server.destroyForcibly();
		processes.forEach(ProcessHandle::destroyForcibly);
		processes.forEach((process) -> process.onExit().join());
		server.onExit().join();
		restart();
	}

	/**
	 * Stop the process that writes what no commit has waited for.
	 */
	void suspendBackgroundWriting() {
		try (Connection connection = DriverManager.getConnection(url(), "postgres", "");
				Statement statement = connection.createStatement();
				ResultSet found = statement.executeQuery(
						"select pid from pg_stat_activity where backend_type in ('walwriter', 'checkpointer')")) {
			while (found.next()) {
				Signals.sendToAll(ProcessHandle.of(found.getLong(1)).orElseThrow(), "STOP");
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void suspend() {
		Signals.sendToAll(postmaster(), "STOP");
	}

	void resume() {
		Signals.sendToAll(postmaster(), "CONT");
	}

	private ProcessHandle postmaster() {
		try {
			String pid = Files.readAllLines(this.folder.resolve("postmaster.pid")).get(0);
			return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.postgres.close();
			Databases.delete(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private EmbeddedPostgres start(int onPort) throws IOException {
		EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
		if (this.newest) {
			builder.setPgBinaryResolver((system,
					machine) -> new URL("jar:%s!/postgres-linux-x86_64.txz".formatted(NEWEST.toUri())).openStream());
		}
		return builder.setDataDirectory(this.folder)
			.setCleanDataDirectory(false)
			.setPort(onPort)
			.setServerConfig("max_connections", "300")
			.start();
	}

}
