package io.distributedlock.application;

import com.example.shop.report.ApplicationJvm;
import com.example.shop.report.Comparison;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The starter adds what is its own to an application, and changes nothing else.
 */
class NothingElseChangesTests {

	@Test
	void beansConditionsAndHealthOfTheApplicationStay() {
		try (RedisTestServer server = RedisTestServer.run()) {
			Comparison comparison = Comparison.of("lettuce-application", "--spring.data.redis.port=" + server.port());
			assertThat(comparison.with())
				.contains("health UP", "cache org.springframework.data.redis.cache.RedisCacheManager true")
				.anyMatch((line) -> line.startsWith("bean lockTemplate of io.distributedlock."))
				.anyMatch((line) -> line.startsWith("bean redisLockProvider"));
			assertThat(comparison.withExceptLocks()).isEqualTo(comparison.without());
		}
	}

	@Test
	void noOtherClientIsBrought() {
		assertThat(ApplicationJvm.of("lettuce-application").classPath()).isNotEmpty()
			.noneMatch((jar) -> jar.contains("redisson") || jar.contains("cache-api") || jar.contains("aspectj"));
	}

}
