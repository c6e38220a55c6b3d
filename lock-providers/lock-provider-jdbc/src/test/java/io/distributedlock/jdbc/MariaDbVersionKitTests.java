package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

/**
 * Not part of {@link MariaDbKitTests}, as only one statement differs from those of the
 * strategy row.
 */
@DisplayName("jdbc version on MariaDB")
class MariaDbVersionKitTests extends LockProviderCompatibilityKit {

	@BeforeAll
	static void startServer() {
		MariaDbKitTests.startServer();
	}

	@AfterAll
	static void stopServer() {
		MariaDbKitTests.stopServer();
	}

	@Override
	protected ProviderSource source() {
		return MariaDbKitTests.source(JdbcLockStrategy.VERSION);
	}

}
