package io.distributedlock.application;

import java.util.concurrent.TimeUnit;

import com.example.shop.report.ApplicationJvm;
import com.example.shop.report.Comparison;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The starter adds what is its own to an application, and changes nothing else.
 */
// an application starts twice, beside those of other tests
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class NothingElseChangesTests {

	@Test
	@EnabledIfSystemProperty(named = "lock.test.one-generation", matches = "false")
	void beansConditionsAndHealthOfTheApplicationStay() {
		try (RedisTestServer server = RedisTestServer.run()) {
			// the health of a client that is yet to be loaded
			Comparison comparison = Comparison.of("lettuce-application", "--spring.data.redis.port=" + server.port(),
					"--lock.command-timeout=20s");
			assertThat(comparison.with())
				.contains("health UP", "cache org.springframework.data.redis.cache.RedisCacheManager true")
				.anyMatch((line) -> line.startsWith("bean distributedLockDefaultTemplate of io.distributedlock."))
				.anyMatch((line) -> line.startsWith("bean distributedLockProviderRedis"));
			assertThat(comparison.withExceptLocks()).isEqualTo(comparison.without());
		}
	}

	@Test
	void noOtherClientIsBrought() {
		assertThat(ApplicationJvm.of("lettuce-application").classPath()).isNotEmpty()
			.noneMatch((jar) -> jar.contains("redisson") || jar.contains("cache-api") || jar.contains("aspectj"));
	}

}
