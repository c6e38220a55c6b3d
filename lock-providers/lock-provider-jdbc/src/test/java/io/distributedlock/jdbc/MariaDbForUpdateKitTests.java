package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc for-update on MariaDB")
class MariaDbForUpdateKitTests extends MariaDbKit {

	MariaDbForUpdateKitTests() {
		super(JdbcLockStrategy.FOR_UPDATE);
	}

}
