package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc advisory on MariaDB")
class MariaDbAdvisoryKitTests extends MariaDbKit {

	MariaDbAdvisoryKitTests() {
		super(JdbcLockStrategy.ADVISORY);
	}

}
