package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc for-update on H2")
class H2ForUpdateKitTests extends H2Kit {

	H2ForUpdateKitTests() {
		super(JdbcLockStrategy.FOR_UPDATE);
	}

}
