package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc for-update on MySQL")
class MySqlForUpdateKitTests extends MySqlKit {

	MySqlForUpdateKitTests() {
		super(JdbcLockStrategy.FOR_UPDATE);
	}

}
