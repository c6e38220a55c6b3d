package io.distributedlock.boot.test;

import io.distributedlock.LockTemplate;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * As in a slice of an application: the annotation brings the locks, and no other
 * auto-configuration.
 */
@SpringJUnitConfig(Orders.class)
@TestPropertySource(properties = { "lock.provider=redisson", "lock.providers=redlock" })
@AutoConfigureTestLocks
class WithoutAutoConfigurationTests {

	@Test
	void locksAreThere(@Autowired TestLocks locks, @Autowired LockTemplate template, @Autowired Orders orders) {
		template.execute("stock", () -> assertThat(locks).isHeld("stock"));
		orders.settle(42, () -> assertThat(locks).isHeld("order:42"));
	}

}
