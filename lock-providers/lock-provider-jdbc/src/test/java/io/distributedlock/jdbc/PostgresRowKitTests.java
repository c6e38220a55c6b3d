package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc row on PostgreSQL")
class PostgresRowKitTests extends PostgresKit {

	PostgresRowKitTests() {
		super(JdbcLockStrategy.ROW);
	}

}
