package io.distributedlock.jdbc;

import java.util.concurrent.CompletionException;

import javax.sql.DataSource;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;

/**
 * Makes providers of locks on a database.
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
	 * that a transaction of the caller is neither seen nor touched; a pool needs room for
	 * that. Does not open a connection yet.
	 * @param dataSource the database, which stays the caller's to close
	 * @param settings how to use it
	 * @return a provider, to be closed by the caller
	 */
	public static LockProvider provider(DataSource dataSource, JdbcLockSettings settings) {
		JdbcCalls calls = new JdbcCalls(dataSource, settings);
		LockProvider provider = (settings.strategy() == JdbcLockStrategy.FOR_UPDATE)
				? new ForUpdateLockProvider(calls, settings) : new TableLockProvider(calls, settings);
		return (settings.dialect().notifies() && PostgresReleases.isSupported())
				? new NotifiedLockProvider(provider, new PostgresReleases(calls)) : provider;
	}

	static RuntimeException backendException(Throwable failure) {
		if (failure instanceof BackendException backendException) {
			return backendException;
		}
		return (failure instanceof CompletionException completionException
				&& completionException.getCause() instanceof BackendException backendException) ? backendException
						: new CompletionException(failure);
	}

}
