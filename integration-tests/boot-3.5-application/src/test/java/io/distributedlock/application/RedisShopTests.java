package io.distributedlock.application;

import java.time.Duration;
import java.util.UUID;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.cache.CacheManager;
import org.springframework.data.redis.cache.RedisCacheManager;

import static io.distributedlock.test.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a lock on Redis can show beside that.
 */
abstract class RedisShopTests extends ShopTests {

	@Autowired
	private RedisTestServer server;

	@Autowired
	private CacheManager caches;

	RedisShopTests(String provider) {
		super(provider);
	}

	/**
	 * The time-out is short, as its end is awaited in an outage. The first commands
	 * connect, and load classes.
	 */
	@BeforeEach
	void connect() {
		await().ignoreExceptionsInstanceOf(LockException.class)
			.untilAsserted(() -> orders().settle(UUID.randomUUID().toString(), () -> {
			}));
	}

	@Test
	void lostLockRollsBack() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders().settle("5", () -> {
			LockHandle lock = LockContext.current();
			this.server.command("DEL", lock.key());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.extend(Duration.ofMinutes(1)));
		}));
		assertThat(orders().isSettled("5")).isFalse();
	}

	@Test
	void outageIsAnswered() {
		this.server.suspend();
		try {
			assertThat(settle("6").getStatusCode().value()).isEqualTo(503);
			assertThat(health().path("status").asText()).isEqualTo("DOWN");
		}
		finally {
			this.server.resume();
		}
		await().untilAsserted(() -> assertThat(settle("6").getStatusCode().value()).isEqualTo(200));
	}

	/**
	 * With Redisson and the JCache API on the class path.
	 */
	@Test
	void cachesStayWhatTheyWere() {
		assertThat(this.caches).isInstanceOf(RedisCacheManager.class);
	}

}
