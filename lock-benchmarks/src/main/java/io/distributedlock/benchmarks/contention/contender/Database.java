package io.distributedlock.benchmarks.contention.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLockStrategy;
import io.distributedlock.jdbc.JdbcLocks;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Locks on a database: this library's and others'.
 */
public final class Database {

	private static final int CONNECTIONS = 20;

	private Database() {
	}

	static Contender ours(String url, JdbcDialect dialect, JdbcLockStrategy strategy, LockType type) {
		JdbcLockSettings settings = JdbcLockSettings.of(dialect).withStrategy(strategy);
		return Ours.contender(JdbcLocks.provider(pool(url), settings), type, Peers.LEASE);
	}

	static Contender springIntegration(String url) {
		DataSource pool = pool(url);
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setTransactionManager(new DataSourceTransactionManager(pool));
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		return Peers.locks(new JdbcLockRegistry(repository, Peers.LEASE));
	}

	static Contender shedLock(String url) {
		return Peers.shedLock(new JdbcTemplateLockProvider(pool(url)));
	}

	/**
	 * Locks that the database knows by itself, and that end with the connection.
	 */
	static Contender sessionLocks(String url, String lock, String unlock) {
		DataSource pool = pool(url);
		return (key, wait) -> {
			Connection connection = pool.getConnection();
			select(connection, lock, key);
			return () -> {
				select(connection, unlock, key);
				connection.close();
			};
		};
	}

	private static void select(Connection connection, String query, String key) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(query)) {
			statement.setString(1, key);
			try (ResultSet result = statement.executeQuery()) {
				result.next();
			}
		}
	}

	public static HikariDataSource pool(String url) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setMaximumPoolSize(CONNECTIONS);
		return pool;
	}

}
