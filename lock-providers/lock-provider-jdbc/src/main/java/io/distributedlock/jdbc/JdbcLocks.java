package io.distributedlock.jdbc;

import java.sql.SQLException;

import javax.sql.DataSource;

import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.SqlCodes;
import io.distributedlock.jdbc.internal.session.AdvisoryLockProvider;
import io.distributedlock.jdbc.internal.session.SessionLockProvider;
import io.distributedlock.jdbc.internal.signal.PostgresReleases;
import io.distributedlock.jdbc.internal.table.TableLockProvider;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Makes lock providers on a database.
 *
 * @since 0.1
 */
public final class JdbcLocks {

	/**
	 * The name of the provider, whatever its strategy.
	 */
	public static final String NAME = JdbcCalls.PROVIDER;

	private JdbcLocks() {
	}

	/**
	 * Make a provider. It asks for connections of its own and commits each statement, so
	 * that it neither sees nor touches a transaction of the caller. A pool needs room for
	 * these connections. Does not open a connection yet. As a bean of an application that
	 * sets {@code lock.provider} it must be called {@code jdbcLockProvider}.
	 * @param dataSource the database, which the caller closes
	 * @param settings how to use it
	 * @return a provider, which the caller closes
	 * @throws IllegalArgumentException if the database does not have the locks of the
	 * strategy
	 */
	public static LockProvider provider(DataSource dataSource, JdbcLockSettings settings) {
		if (settings.strategy() == JdbcLockStrategy.ADVISORY && settings.dialect() == JdbcDialect.H2) {
			throw new IllegalArgumentException(
					"The provider '%s' cannot use the strategy advisory on %s, which has no such locks: use the strategy row, or PostgreSQL, MariaDB or MySQL"
						.formatted(NAME, settings.dialect()));
		}
		JdbcCalls calls = calls(dataSource, settings);
		return switch (settings.strategy()) {
			case ROW, VERSION -> new TableLockProvider(calls, settings.strategy() == JdbcLockStrategy.VERSION,
					settings.sweepAfter(), releases(calls));
			case FOR_UPDATE -> SessionLockProvider.ofRows(calls, settings.maxLockConnections(), settings.sweepAfter(),
					releases(calls));
			case ADVISORY -> new AdvisoryLockProvider(calls, settings.maxLockConnections(), settings.waitThreads());
		};
	}

	/**
	 * Return whether the database refused to write, as a replica does. A pool should end
	 * such a connection, which may lead to the primary of before a failover.
	 * @param failure the failure of a statement
	 * @return {@code true} if the database, or this connection, is read-only
	 */
	public static boolean isReadOnly(SQLException failure) {
		return SqlCodes.isReadOnly(failure);
	}

	static JdbcCalls calls(DataSource dataSource, JdbcLockSettings settings) {
		return new JdbcCalls(dataSource, settings.dialect().sql(), settings.commandTimeout(), settings.threads(),
				settings.upkeepThreads(), settings.waitThreads());
	}

	private static @Nullable PostgresReleases releases(JdbcCalls calls) {
		return (calls.dialect().notifies() && PostgresReleases.isSupported()) ? new PostgresReleases(calls) : null;
	}

}
