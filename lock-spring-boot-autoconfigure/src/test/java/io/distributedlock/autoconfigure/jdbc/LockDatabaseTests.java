package io.distributedlock.autoconfigure.jdbc;

import java.util.Map;
import java.util.Properties;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.autoconfigure.LockProperties;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pool of a database for locks alone. It connects only when it is used.
 */
class LockDatabaseTests {

	/**
	 * What happens otherwise is tried with a server, in the provider's tests.
	 */
	@Test
	void openingAConnectionToPostgresHasALimit() throws Exception {
		assertThat(options("jdbc:postgresql://localhost/locks", "2500ms")).containsEntry("loginTimeout", 2L);
		assertThat(options("jdbc:postgresql://localhost/locks", "500ms")).containsEntry("loginTimeout", 1L);
	}

	@Test
	void otherDriversGetNoOptions() throws Exception {
		assertThat(options("jdbc:h2:mem:locks", "3s")).isEmpty();
	}

	private static Properties options(String url, String commandTimeout) throws Exception {
		Binder binder = new Binder(new MapConfigurationPropertySource(
				Map.of("lock.jdbc.url", url, "lock.command-timeout", commandTimeout)));
		JdbcLockAutoConfiguration.LockDatabase database = JdbcLockAutoConfiguration.LockDatabase.open(
				binder.bindOrCreate("lock.jdbc", JdbcLockProperties.class),
				binder.bindOrCreate("lock", LockProperties.class));
		try {
			return ((HikariDataSource) database.dataSource()).getDataSourceProperties();
		}
		finally {
			database.destroy();
		}
	}

}
