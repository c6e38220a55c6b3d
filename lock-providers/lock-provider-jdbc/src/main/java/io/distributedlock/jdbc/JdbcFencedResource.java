package io.distributedlock.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.jdbc.internal.call.Session;

/**
 * Data in a database that refuses writes with a fencing token lower than one it has seen,
 * so that a holder which was paused beyond its lease does no harm. The lock may be of any
 * provider with fencing tokens, but always of the same one and the same key.
 *
 * <pre>{@code
 * JdbcFencedResource.named("prices").check(connection, handle.fencingToken().orElseThrow());
 * // further statements on the same connection, in the same transaction
 * }</pre>
 *
 * The check and the writes that it guards must be one transaction: until it commits, a
 * later holder's check waits. Needs the table {@code distributed_lock_fence}, which
 * {@link JdbcLockSchema} creates. Thread-safe; executes on the connection of the caller,
 * and neither commits nor closes it.
 *
 * @since 0.1
 */
public final class JdbcFencedResource {

	private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");

	/**
	 * How often a check begins again because another transaction has inserted or deleted
	 * the row meanwhile. Once is normal, as two first writers may meet; more than twice
	 * means a row that this transaction cannot see.
	 */
	private static final int TRIES = 3;

	private static final String INSERTION = "INSERT INTO distributed_lock_fence (resource, token) VALUES (?, ?)";

	private final String resource;

	private JdbcFencedResource(String resource) {
		this.resource = resource;
	}

	/**
	 * Guard something as a whole, such as a table.
	 * @param resource its name, at most 255 characters
	 * @return the resource
	 * @throws IllegalArgumentException if the name is blank, too long, or has a character
	 * that a database cannot store: a null character or half of a surrogate pair
	 */
	public static JdbcFencedResource named(String resource) {
		if (resource.isBlank() || resource.length() > 255) {
			throw new IllegalArgumentException("The name of a fenced resource must have 1 to 255 characters");
		}
		if (resource.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(resource)) {
			throw new IllegalArgumentException(
					"The name of a fenced resource must not have a null character or half of a surrogate pair");
		}
		return new JdbcFencedResource(resource);
	}

	/**
	 * Guard each row of a table by a column of its own, which may be {@code NULL} until
	 * the first fenced write.
	 * @param table the table
	 * @param idColumn the column that identifies a row
	 * @param tokenColumn the column of the tokens, a {@code BIGINT}
	 * @return the rows
	 */
	public static Rows rows(String table, String idColumn, String tokenColumn) {
		return new Rows(identifier(table), identifier(idColumn), identifier(tokenColumn));
	}

	/**
	 * Refuse a token that is lower than the highest one seen, and note this one. Call it
	 * before the writes of the transaction.
	 * @param connection the connection of the transaction
	 * @param token the fencing token of the lock that is held
	 * @throws StaleTokenException if a higher token was seen; then roll back the
	 * transaction
	 * @throws IllegalStateException if the connection commits each statement
	 * @throws SQLException if the database fails
	 */
	public void check(Connection connection, long token) throws SQLException {
		if (connection.getAutoCommit()) {
			throw new IllegalStateException(
					"The check of a fencing token must be in one transaction with the writes that it "
							+ "guards: turn auto-commit off, or begin a transaction");
		}
		Session session = Session.on(connection);
		for (int attempt = 0; attempt < TRIES; attempt++) {
			if (raise(session, token)) {
				return;
			}
			// FOR UPDATE reads the row as it is now, not as it was when the transaction
			// began
			String highest = session.text("SELECT token FROM distributed_lock_fence WHERE resource = ? FOR UPDATE",
					this.resource);
			if (highest == null) {
				if (session.insert(INSERTION, this.resource, token)) {
					return;
				}
			}
			else if (Long.parseLong(highest) > token) {
				throw new StaleTokenException(this.resource, token, Long.parseLong(highest));
			}
			else if (Long.parseLong(highest) == token) {
				// some drivers count rows that were changed, not rows that were found
				return;
			}
		}
		throw new SQLTransactionRollbackException(
				("The fenced resource '%s' was first written by a transaction that this one cannot see: "
						+ "roll back and try again")
					.formatted(this.resource),
				"40001");
	}

	private boolean raise(Session session, long token) throws SQLException {
		return switch (JdbcDialect.of(session.connection())) {
			// an update that finds no row would lock the gap until the transaction ends:
			// first writers of other resources would wait there for each other. The
			// answer 2 is an update, whatever the driver counts
			case MARIADB, MYSQL -> session.update(INSERTION + " ON DUPLICATE KEY UPDATE token = GREATEST(token, ?)",
					this.resource, token, token) == 2;
			// a duplicate would end the transaction, and one of JTA has no savepoint
			case POSTGRESQL -> session.update(INSERTION + " ON CONFLICT (resource) DO UPDATE SET token = EXCLUDED.token"
					+ " WHERE distributed_lock_fence.token <= EXCLUDED.token", this.resource, token) == 1;
			case H2 -> session.update("UPDATE distributed_lock_fence SET token = ? WHERE resource = ? AND token <= ?",
					token, this.resource, token) == 1;
		};
	}

	private static String identifier(String name) {
		if (!IDENTIFIER.matcher(name).matches()) {
			throw new IllegalArgumentException("'%s' is not a name of a table or column".formatted(name));
		}
		return name;
	}

	/**
	 * The rows of a table, each with the highest token that it has seen. Thread-safe.
	 *
	 * @since 0.1
	 */
	public static final class Rows {

		private final String table;

		private final String idColumn;

		private final String tokenColumn;

		private Rows(String table, String idColumn, String tokenColumn) {
			this.table = table;
			this.idColumn = idColumn;
			this.tokenColumn = tokenColumn;
		}

		/**
		 * Update a row if it has seen no higher token, and note this one.
		 * @param connection the connection, inside of a transaction or not
		 * @param id the value of the identifying column
		 * @param token the fencing token of the lock that is held
		 * @param assignments what to set, such as {@code "balance = ?"}; a part of the
		 * statement, never made from input
		 * @param parameters the values for the assignments
		 * @return {@code false} if there is no such row
		 * @throws StaleTokenException if the row has seen a higher token
		 * @throws SQLException if the database fails
		 */
		public boolean update(Connection connection, Object id, long token, String assignments, Object... parameters)
				throws SQLException {
			Object[] values = Stream.concat(Stream.of(parameters), Stream.of(token, id, token)).toArray();
			Session session = Session.on(connection);
			if (session.update(
					"UPDATE %s SET %s, %s = ? WHERE %s = ? AND (%s IS NULL OR %s <= ?)".formatted(this.table,
							assignments, this.tokenColumn, this.idColumn, this.tokenColumn, this.tokenColumn),
					values) > 0) {
				return true;
			}
			// FOR UPDATE reads the row as it is now, not as it was when the transaction
			// began
			String found = session.text(
					"SELECT %s FROM %s WHERE %s = ? FOR UPDATE".formatted(this.tokenColumn, this.table, this.idColumn),
					id);
			long highest = (found != null) ? Long.parseLong(found) : Long.MIN_VALUE;
			if (highest > token) {
				throw new StaleTokenException("row %s of %s".formatted(id, this.table), token, highest);
			}
			// some drivers count rows that were changed, not rows that were found
			return highest == token;
		}

	}

}
