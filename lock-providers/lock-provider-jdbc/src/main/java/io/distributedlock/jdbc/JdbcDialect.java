package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * What databases say differently. All of them count time since the epoch by their own
 * clock, and none by the zone of a session.
 *
 * @since 0.1
 */
public enum JdbcDialect {

	/**
	 * H2, embedded or as a server.
	 */
	H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * %d AS BIGINT)", "SELECT NEXT VALUE FOR distributed_lock_token"),

	/**
	 * PostgreSQL.
	 */
	POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * %d AS BIGINT)",
			"SELECT nextval('distributed_lock_token')"),

	/**
	 * MariaDB.
	 */
	MARIADB("(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV (1000000 DIV %d))",
			"SELECT NEXT VALUE FOR distributed_lock_token"),

	/**
	 * MySQL. It has no sequences: a row is added to a table that counts up, which a
	 * rollback does not take back.
	 */
	MYSQL("(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV (1000000 DIV %d))", null);

	private final String now;

	private final @Nullable String nextToken;

	JdbcDialect(String now, @Nullable String nextToken) {
		this.now = now;
		this.nextToken = nextToken;
	}

	/**
	 * Find out what a database speaks. Opens a connection.
	 * @param dataSource the database
	 * @return its dialect
	 * @throws IllegalStateException if the database cannot be asked or is another one
	 */
	public static JdbcDialect detect(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			return ofProduct(connection.getMetaData().getDatabaseProductName());
		}
		catch (SQLException ex) {
			String refusal = JdbcErrors.refusal(ex);
			throw new IllegalStateException("The database cannot be asked which one it is"
					+ ((refusal != null) ? ": " + refusal : ". Name its dialect to start without it."), ex);
		}
	}

	/**
	 * Return the dialect of a product.
	 * @param product the name by which the driver calls it
	 * @return its dialect
	 * @throws IllegalStateException if there is none
	 */
	public static JdbcDialect ofProduct(String product) {
		return switch (product.toLowerCase(Locale.ROOT)) {
			case "h2" -> H2;
			case "postgresql" -> POSTGRESQL;
			case "mariadb" -> MARIADB;
			case "mysql" -> MYSQL;
			default -> throw new IllegalStateException(
					"Locks know no dialect for the database %s, only H2, PostgreSQL, MariaDB and MySQL"
						.formatted(product));
		};
	}

	/**
	 * Return where the statements are that create what locks need.
	 * @return a resource on the class path
	 */
	public String schema() {
		return "io/distributedlock/jdbc/schema-" + name().toLowerCase(Locale.ROOT) + ".sql";
	}

	String nowMillis() {
		return this.now.formatted(1000);
	}

	String nowMicros() {
		return this.now.formatted(1_000_000);
	}

	@Nullable String nextToken() {
		return this.nextToken;
	}

	/**
	 * Whether an update can say what it has written.
	 */
	boolean returnsUpdated() {
		return this == POSTGRESQL;
	}

	/**
	 * Whether waiters can be sent a message.
	 */
	boolean notifies() {
		return this == POSTGRESQL;
	}

}
