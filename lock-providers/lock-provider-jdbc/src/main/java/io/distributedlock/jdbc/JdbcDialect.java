package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.jdbc.internal.call.JdbcErrors;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlDialect;

/**
 * The databases that locks support, each of which has SQL of its own.
 *
 * @since 0.1
 */
public enum JdbcDialect {

	/**
	 * H2, embedded or as a server.
	 */
	H2,

	/**
	 * PostgreSQL.
	 */
	POSTGRESQL,

	/**
	 * MariaDB.
	 */
	MARIADB,

	/**
	 * MySQL.
	 */
	MYSQL;

	/**
	 * What databases say of their version that have the protocol and the drivers of
	 * another one, but not what locks need: its functions, and one clock for all nodes.
	 */
	private static final Pattern IMITATION = Pattern
		.compile("CockroachDB|-YB-|openGauss|GaussDB|TiDB|OceanBase|MatrixOne");

	/**
	 * How long a start waits for a database that is silent.
	 */
	private static final Duration ANSWER_TIME = Duration.ofSeconds(30);

	/**
	 * Find out the dialect of a database. Opens a connection, and waits for at most half
	 * a minute for the answer.
	 * @param dataSource the database
	 * @return its dialect
	 * @throws IllegalStateException if the database does not answer or is not supported
	 */
	public static JdbcDialect detect(DataSource dataSource) {
		try (Session session = Session.open(dataSource, ANSWER_TIME, System.nanoTime() + Session.NEVER_NANOS)) {
			JdbcDialect dialect = of(session.connection());
			String version = (dialect != H2) ? session.text("SELECT version()") : null;
			if (version != null && IMITATION.matcher(version).find()) {
				throw unsupported(version);
			}
			// the driver of MySQL calls each server MySQL
			return (version != null && version.contains("MariaDB")) ? MARIADB : dialect;
		}
		catch (SQLException ex) {
			String refusal = JdbcErrors.refusal(ex);
			throw new IllegalStateException("The database did not say which product it is"
					+ ((refusal != null) ? ": " + refusal : ". Set lock.jdbc.dialect to start without a connection."),
					ex);
		}
	}

	static JdbcDialect of(Connection connection) throws SQLException {
		String product = connection.getMetaData().getDatabaseProductName();
		return Stream.of(values())
			.filter((dialect) -> dialect.name().equalsIgnoreCase(product))
			.findFirst()
			.orElseThrow(() -> unsupported(product));
	}

	private static IllegalStateException unsupported(String database) {
		return new IllegalStateException(
				"Locks do not support the database %s, only H2, PostgreSQL, MariaDB and MySQL".formatted(database));
	}

	/**
	 * Return the name of the resource with the statements that create the tables.
	 * @return a resource on the class path
	 */
	public String schema() {
		return sql().schema();
	}

	SqlDialect sql() {
		return SqlDialect.valueOf(name());
	}

}
