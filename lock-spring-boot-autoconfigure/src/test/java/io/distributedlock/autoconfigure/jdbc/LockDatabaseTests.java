package io.distributedlock.autoconfigure.jdbc;

import java.time.Duration;
import java.util.Properties;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.autoconfigure.LockProperties;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pool of a database for locks alone. It connects only when it is used.
 */
class LockDatabaseTests {

	private final LockProperties lock = new LockProperties();

	/**
	 * What happens otherwise is tried with a server, in the provider's tests.
	 */
	@Test
	void openingAConnectionToPostgresHasALimit() throws Exception {
		this.lock.setCommandTimeout(Duration.ofMillis(2500));
		assertThat(options("jdbc:postgresql://localhost/locks")).containsEntry("loginTimeout", 2L);
		this.lock.setCommandTimeout(Duration.ofMillis(500));
		assertThat(options("jdbc:postgresql://localhost/locks")).containsEntry("loginTimeout", 1L);
	}

	@Test
	void otherDriversGetNoOptions() throws Exception {
		assertThat(options("jdbc:h2:mem:locks")).isEmpty();
	}

	private Properties options(String url) throws Exception {
		JdbcLockProperties properties = new JdbcLockProperties();
		properties.setUrl(url);
		JdbcLockAutoConfiguration.LockDatabase database = JdbcLockAutoConfiguration.LockDatabase.open(properties,
				this.lock);
		try {
			return ((HikariDataSource) database.dataSource()).getDataSourceProperties();
		}
		finally {
			database.destroy();
		}
	}

}
