package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc row on MySQL")
class MySqlRowKitTests extends MySqlKit {

	MySqlRowKitTests() {
		super(JdbcLockStrategy.ROW);
	}

}
