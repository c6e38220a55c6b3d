package io.distributedlock.application;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.boot.test.AutoConfigureTestLocks;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of an application of Spring Boot 3.5 need no Redis either.
 */
@SpringBootTest(classes = Shop.class)
@TestPropertySource(properties = "lock.provider=redisson")
@AutoConfigureTestLocks
class WithoutRedisTests {

	@Autowired
	private Shop.Orders orders;

	@Autowired
	private TestLocks locks;

	@Test
	void providerIsReplaced() {
		this.orders.settle("7", () -> {
		});
		assertThat(this.locks).wasAcquiredTimes("order:7", 1).hasNothingHeld();
		this.locks.contend("order:7");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.settle("7", () -> {
		}));
	}

}
