package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.Signals;
import io.distributedlock.test.server.ServerBinary;
import io.distributedlock.test.server.ServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A real PostgreSQL from a Maven artifact: an old one is on the class path, a new one in
 * the build folder.
 */
public final class PostgresTestServer implements AutoCloseable {

	private static final Path NEWEST = Path.of("target", "postgres", "newest.jar");

	private final Path folder;

	private final boolean newest;

	private EmbeddedPostgres postgres;

	private ProcessHandle postmaster;

	private final int port;

	private PostgresTestServer(boolean newest) throws IOException {
		this.newest = newest;
		this.folder = Files.createTempDirectory("postgres");
		// of the range that no outgoing connection takes while the server restarts
		this.port = ServerProcess.freePort();
		start(this.port);
		// the artifact's own hook stops the server, which must not be suspended then
		Runtime.getRuntime().addShutdownHook(new Thread(this::resumeIfAlive, "resume-postgres"));
	}

	public static PostgresTestServer run() {
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

	public String url() {
		return url(this.port);
	}

	/**
	 * Return the URL that leads through a proxy.
	 */
	public String url(int proxyPort) {
		return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(proxyPort);
	}

	public int port() {
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
		try (Connection connection = this.postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("create schema " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return Databases.creation(JdbcDialect.POSTGRESQL, url() + "?currentSchema=" + name, "postgres", "");
	}

	void restart() {
		stop();
		try {
			start(this.port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Stop the server, which writes everything first, and kill what is left of it after
	 * the five seconds that the artifact waits.
	 */
	private void stop() {
		resumeIfAlive();
		try {
			this.postgres.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			Signals.killAll(this.postmaster);
		}
	}

	/**
	 * Kill the server, so that what it has not written is lost, and start it again.
	 */
	public void crash() {
		Signals.killAll(this.postmaster);
		restart();
	}

	/**
	 * Stop the process that writes what no commit has waited for.
	 */
	public void suspendBackgroundWriting() {
		try (Connection connection = this.postgres.getPostgresDatabase().getConnection();
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
		Signals.sendToAll(this.postmaster, "STOP");
	}

	void resume() {
		Signals.sendToAll(this.postmaster, "CONT");
	}

	private void resumeIfAlive() {
		if (this.postmaster.isAlive()) {
			resume();
		}
	}

	@Override
	public void close() {
		stop();
		Databases.delete(this.folder);
	}

	private void start(int onPort) throws IOException {
		EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
		if (this.newest) {
			builder.setPgBinaryResolver((system,
					machine) -> new URL("jar:%s!/postgres-linux-x86_64.txz".formatted(NEWEST.toUri())).openStream());
		}
		// seconds, as a suspended server accepts connections and then says nothing
		this.postgres = builder.setConnectConfig("loginTimeout", "5")
			.setConnectConfig("socketTimeout", "30")
			.setDataDirectory(this.folder)
			.setCleanDataDirectory(false)
			.setPort(onPort)
			.setPGStartupWait(Patience.LIMIT)
			.setServerConfig("max_connections", "300")
			.start();
		// the process that the artifact knows is another one, which has ended
		String pid = Files.readAllLines(this.folder.resolve("postmaster.pid")).get(0);
		this.postmaster = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
	}

}
