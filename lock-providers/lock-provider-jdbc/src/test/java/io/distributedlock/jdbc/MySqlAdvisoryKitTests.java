package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc advisory on MySQL")
class MySqlAdvisoryKitTests extends MySqlKit {

	MySqlAdvisoryKitTests() {
		super(JdbcLockStrategy.ADVISORY);
	}

}
