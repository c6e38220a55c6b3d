package io.distributedlock.application;

import org.springframework.test.context.TestPropertySource;

/**
 * Locks on the database of the application.
 */
@TestPropertySource(properties = { "lock.provider=jdbc", "lock.command-timeout=20s" })
class DatabaseShopTests extends ShopTests {

	DatabaseShopTests() {
		super("jdbc");
	}

}
