package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc for-update on PostgreSQL")
class PostgresForUpdateKitTests extends PostgresKit {

	PostgresForUpdateKitTests() {
		super(JdbcLockStrategy.FOR_UPDATE);
	}

}
