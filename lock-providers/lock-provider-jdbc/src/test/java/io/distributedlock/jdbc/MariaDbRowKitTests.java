package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc row on MariaDB")
class MariaDbRowKitTests extends MariaDbKit {

	MariaDbRowKitTests() {
		super(JdbcLockStrategy.ROW);
	}

}
