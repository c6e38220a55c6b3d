package io.distributedlock.application;

import java.sql.Connection;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lazy proxy of Spring asks its pool for a connection when that is first used, and
 * again at the next use if there was none.
 */
class LazyConnectionTests {

	@Test
	void whyThereIsNoConnectionIsToldBeforeTheCommandTimeOut() {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl("jdbc:h2:tcp://127.0.0.1:1/shop");
			pool.setConnectionTimeout(2000);
			pool.setInitializationFailTimeout(-1);
			JdbcLockSettings settings = JdbcLockSettings.of(JdbcDialect.H2).withCommandTimeout(Duration.ofSeconds(3));
			LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(pool);
			// as it knows where the database was there when the application has started
			lazy.setDefaultAutoCommit(true);
			lazy.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			LockProvider provider = JdbcLocks.provider(lazy, settings);
			LeaseRequest request = new LeaseRequest("order", Duration.ofMinutes(1), LockType.EXCLUSIVE);
			Patience.await()
				.untilAsserted(() -> assertThat(provider.tryAcquire(request)).failsWithin(Patience.LIMIT)
					.withThrowableThat()
					.withMessageContaining("cannot be reached"));
			provider.close();
		}
	}

}
