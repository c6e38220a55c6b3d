package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc advisory on PostgreSQL")
class PostgresAdvisoryKitTests extends PostgresKit {

	PostgresAdvisoryKitTests() {
		super(JdbcLockStrategy.ADVISORY);
	}

}
