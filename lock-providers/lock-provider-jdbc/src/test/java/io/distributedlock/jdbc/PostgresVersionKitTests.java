package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

@DisplayName("jdbc version on PostgreSQL")
class PostgresVersionKitTests extends PostgresKit {

	PostgresVersionKitTests() {
		super(JdbcLockStrategy.VERSION);
	}

}
