package io.distributedlock.application;

import org.springframework.test.context.TestPropertySource;

/**
 * Locks on Redis through Redisson.
 */
@TestPropertySource(properties = "lock.provider=redisson")
class RedissonShopTests extends RedisShopTests {

	RedissonShopTests() {
		super("redisson");
	}

}
