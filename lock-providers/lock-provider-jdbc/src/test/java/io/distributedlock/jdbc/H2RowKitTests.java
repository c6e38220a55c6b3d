package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc row on H2")
class H2RowKitTests extends H2Kit {

	H2RowKitTests() {
		super(JdbcLockStrategy.ROW);
	}

}
