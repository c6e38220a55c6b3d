package io.distributedlock.boot.test;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockCapability;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@SpringBootTest(classes = OrdersApplication.class,
		properties = { "lock.provider=redisson", "lock.providers=redlock", "spring.application.name=shop",
				"spring.data.redis.host=no.such.host", "lock.redlock.urls=redis://no.such.host:1" })
@AutoConfigureTestLocks
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AutoConfigureTestLocksTests {

	@Autowired
	private TestLocks locks;

	@Autowired
	private LockTemplate template;

	@Autowired
	private Orders orders;

	@Autowired
	private List<LockProvider> providers;

	@Test
	void everyProviderIsReplaced(@Autowired ObjectProvider<RedissonClient> clients) {
		assertThat(clients).isEmpty();
		assertThat(this.providers).extracting(LockProvider::name).containsExactlyInAnyOrder("redisson", "redlock");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template
			.check(LockRequest.of("a").withProvider("redlock").withRequired(LockCapability.FENCING)));
		this.template.check(LockRequest.of("a").withRequired(LockCapability.FENCING));
	}

	@Test
	void annotatedMethodsHoldTheirLocks() {
		this.orders.settle(42, () -> assertThat(this.locks).isHeld("order:42").isNotHeld("order:43"));
		this.orders.report(() -> assertThat(this.locks).isHeld("report").isNotHeld("order:42"));
		assertThat(this.locks).hasNothingHeld().wasAcquiredTimes("order:42", 1).wasAcquired("report");
	}

	@Test
	void anotherNodeHoldsTheLock() {
		this.locks.contend("order:42");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.settle(42, () -> {
		}));
		this.orders.settle(43, () -> {
		});
		assertThat(this.locks).wasNeverAcquired("order:42");
	}

	@Test
	void backendIsDown() {
		this.locks.unavailable("redlock");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.orders.report(() -> {
		}));
		this.orders.settle(42, () -> {
		});
	}

	@Test
	void lockIsLost() {
		this.orders.settle(42, () -> {
			LockHandle lock = LockContext.current();
			this.locks.advance(Duration.ofMinutes(5));
			lock.ensureHeld();
			this.locks.expire("order:42");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::ensureHeld);
		});
	}

	@Test
	@Order(1)
	void methodLeavesEverythingBehind() {
		this.template.acquire("left");
		this.locks.contend("order:42");
		this.locks.unavailable();
		assertThat(this.locks).isHeld("left");
	}

	@Test
	@Order(2)
	void nextMethodFindsNothing() {
		assertThat(this.locks).hasNothingHeld().wasNeverAcquired("left");
		this.template.acquire("left").close();
		this.orders.settle(42, () -> {
		});
	}

}
