package io.distributedlock.benchmarks.contention.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.benchmarks.contention.contender.Database;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.test.server.MariaDbTestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A database with the tables of all contenders. What earlier contenders have left does
 * not matter, because each has tables and keys of its own.
 *
 * @param url the address, with the user
 * @param shutDown ends the database
 */
record DatabaseServer(String url, AutoCloseable shutDown) implements Server {

	private static final List<String> TABLES = List.of("""
			create table INT_LOCK (LOCK_KEY char(36) not null, REGION varchar(100) not null, CLIENT_ID char(36),
			CREATED_DATE timestamp not null, EXPIRED_AFTER timestamp not null, primary key (LOCK_KEY, REGION))
			""", """
			create table shedlock (name varchar(64) not null, lock_until timestamp(3) not null,
			locked_at timestamp(3) not null, locked_by varchar(255) not null, primary key (name))
			""");

	static DatabaseServer postgres() {
		try {
			EmbeddedPostgres postgres = EmbeddedPostgres.builder()
				.setServerConfig("max_connections", "200")
				// as in production, and not as in tests
				.setServerConfig("fsync", "on")
				.setServerConfig("synchronous_commit", "on")
				.setServerConfig("full_page_writes", "on")
				// seconds
				.setConnectConfig("loginTimeout", "5")
				.setConnectConfig("socketTimeout", "30")
				.start();
			return prepared(postgres.getJdbcUrl("postgres", "postgres"), postgres, JdbcDialect.POSTGRESQL);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static DatabaseServer h2() {
		try {
			Path folder = Files.createTempDirectory("contention-h2");
			org.h2.tools.Server server = org.h2.tools.Server
				.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", folder.toString())
				.start();
			String url = "jdbc:h2:tcp://127.0.0.1:%s/./locks;WRITE_DELAY=0;USER=sa;PASSWORD=sa"
				.formatted(server.getPort());
			return prepared(url, server::stop, JdbcDialect.H2);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static DatabaseServer mariaDb() {
		MariaDbTestServer server = MariaDbTestServer.run();
		return prepared(server.url() + "?user=app&password=secret", server, JdbcDialect.MARIADB);
	}

	static DatabaseServer prepared(String url, AutoCloseable shutDown, JdbcDialect dialect) {
		try (HikariDataSource pool = Database.pool(url)) {
			JdbcLockSchema.create(pool, dialect);
			try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
				for (String table : TABLES) {
					statement.execute(table);
				}
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return new DatabaseServer(url, shutDown);
	}

	@Override
	public void close() {
		try {
			this.shutDown.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
