package io.distributedlock.jdbc;

import org.junit.jupiter.api.DisplayName;

/**
 * Not part of an ordinary run, as only one statement differs from those of the strategy
 * row.
 */
@DisplayName("jdbc version on MySQL")
class MySqlVersionKitTests extends MySqlKit {

	MySqlVersionKitTests() {
		super(JdbcLockStrategy.VERSION);
	}

}
