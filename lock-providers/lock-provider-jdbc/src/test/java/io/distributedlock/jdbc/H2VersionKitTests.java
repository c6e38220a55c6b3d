package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

/**
 * Not part of {@link H2KitTests}, as only one statement differs from those of the
 * strategy row.
 */
@DisplayName("jdbc version on H2")
class H2VersionKitTests extends LockProviderCompatibilityKit {

	@BeforeAll
	static void startServer() {
		H2KitTests.startServer();
	}

	@AfterAll
	static void stopServer() {
		H2KitTests.stopServer();
	}

	@Override
	protected ProviderSource source() {
		return H2KitTests.source(JdbcLockStrategy.VERSION);
	}

}
