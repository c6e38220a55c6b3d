package io.distributedlock.benchmarks.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.test.process.Signals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server from a Maven artifact.
 */
final class SoakPostgres implements SoakServer {

	private final String strategy;

	private final Path folder;

	private EmbeddedPostgres postgres;

	SoakPostgres(String provider) {
		this.strategy = provider.equals("jdbc") ? "ROW"
				: provider.substring("jdbc-".length()).replace('-', '_').toUpperCase(Locale.ROOT);
		try {
			this.folder = Files.createTempDirectory("soak-postgres");
			this.postgres = open(0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		JdbcLockSchema.create(this.postgres.getPostgresDatabase(), JdbcDialect.POSTGRESQL);
	}

	@Override
	public List<String> arguments() {
		return List.of("jdbc", this.strategy, JdbcDialect.POSTGRESQL.name(), url(), "postgres", "");
	}

	@Override
	public boolean kill() {
		try {
			String pid = Files.readAllLines(this.folder.resolve("postmaster.pid")).get(0);
			Signals.killAll(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
			// releases the lock on the folder
			this.postgres.close();
			return true;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void start() {
		try {
			this.postgres = open(this.postgres.getPort());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public Map<String, Long> remains() {
		Map<String, Long> remains = new TreeMap<>();
		try (Connection connection = this.postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			List<String> tables = new ArrayList<>();
			try (ResultSet found = statement
				.executeQuery("select table_name from information_schema.tables where table_schema = 'public'")) {
				while (found.next()) {
					tables.add(found.getString(1));
				}
			}
			for (String table : tables) {
				// the row of a free key stays for days: it counts the fencing tokens
				boolean counts = table.equals("distributed_lock") || table.equals("distributed_lock_row");
				remains.put((counts ? COUNTERS : "rows of ") + table,
						count(statement, "select count(*) from " + table));
			}
			remains.put("owners", count(statement, "select count(*) from distributed_lock where owner is not null "
					+ "and expires_at > extract(epoch from clock_timestamp()) * 1000"));
			remains.put("connections",
					count(statement, "select count(*) from pg_stat_activity where usename is not null"));
			remains.put("advisory locks",
					count(statement, "select count(*) from pg_locks where locktype = 'advisory'"));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return remains;
	}

	@Override
	public void close() {
		try {
			this.postgres.close();
			try (Stream<Path> files = Files.walk(this.folder)) {
				for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
					Files.deleteIfExists(file);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String url() {
		return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(this.postgres.getPort());
	}

	private EmbeddedPostgres open(int port) throws IOException {
		// seconds; counting all rows takes long after hours
		return EmbeddedPostgres.builder()
			.setConnectConfig("loginTimeout", "5")
			.setConnectConfig("socketTimeout", "120")
			.setDataDirectory(this.folder)
			.setCleanDataDirectory(false)
			.setPort(port)
			.setServerConfig("max_connections", "300")
			.start();
	}

	private static long count(Statement statement, String query) throws SQLException {
		try (ResultSet result = statement.executeQuery(query)) {
			result.next();
			return result.getLong(1);
		}
	}

}
