package io.distributedlock.jdbc;

import javax.sql.DataSource;

import io.distributedlock.spi.LockProvider;

/**
 * Makes lock providers on a database.
 *
 * @since 0.1
 */
public final class JdbcLocks {

	/**
	 * The name of the provider, whatever its strategy.
	 */
	public static final String NAME = "jdbc";

	private JdbcLocks() {
	}

	/**
	 * Make a provider. It asks for connections of its own and commits each statement, so
	 * that it neither sees nor touches a transaction of the caller. A pool needs room for
	 * these connections. Does not open a connection yet.
	 * @param dataSource the database, which the caller closes
	 * @param settings how to use it
	 * @return a provider, which the caller closes
	 * @throws IllegalArgumentException if the database does not have the locks of the
	 * strategy
	 */
	public static LockProvider provider(DataSource dataSource, JdbcLockSettings settings) {
		requireSupport(settings);
		JdbcCalls calls = new JdbcCalls(dataSource, settings);
		return switch (settings.strategy()) {
			case ROW, VERSION, FOR_UPDATE -> notified(calls, settings);
			case ADVISORY -> new AdvisoryLockProvider(new SessionLockProvider(calls, settings), settings);
		};
	}

	private static LockProvider notified(JdbcCalls calls, JdbcLockSettings settings) {
		PostgresReleases releases = (settings.dialect().notifies() && PostgresReleases.isSupported())
				? new PostgresReleases(calls) : null;
		if (settings.strategy() == JdbcLockStrategy.FOR_UPDATE) {
			LockProvider sessions = new SessionLockProvider(calls, settings);
			return (releases != null) ? new NotifiedLockProvider(sessions, releases) : sessions;
		}
		TableLockProvider tables = new TableLockProvider(calls, settings, releases);
		return (releases != null) ? new NotifiedTableProvider(tables, releases) : tables;
	}

	private static void requireSupport(JdbcLockSettings settings) {
		if (settings.strategy() == JdbcLockStrategy.ADVISORY && !AdvisoryLocks.isSupported(settings.dialect())) {
			throw new IllegalArgumentException(
					"The provider '%s' cannot use the strategy advisory on %s, which has no such locks: use the strategy row, or PostgreSQL, MariaDB or MySQL"
						.formatted(NAME, settings.dialect()));
		}
	}

}
