package io.distributedlock.application;

import org.springframework.test.context.TestPropertySource;

/**
 * Locks on Redis through Lettuce, from the connection factory of the application.
 */
@TestPropertySource(properties = "lock.provider=redis")
class LettuceShopTests extends RedisShopTests {

	LettuceShopTests() {
		super("redis");
	}

}
