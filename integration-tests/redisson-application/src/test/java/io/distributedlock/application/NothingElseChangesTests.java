package io.distributedlock.application;

import java.util.concurrent.TimeUnit;

import com.example.shop.report.Comparison;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The starter adds what is its own to an application, and changes nothing else.
 */
// an application starts twice, beside those of other tests
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class NothingElseChangesTests {

	@Test
	void beansConditionsAndHealthOfTheApplicationStay() {
		try (RedisTestServer server = RedisTestServer.run()) {
			// the health of a client that is yet to be loaded
			Comparison comparison = Comparison.of("redisson-application", "--spring.data.redis.port=" + server.port(),
					"--lock.command-timeout=20s");
			assertThat(comparison.with())
				.contains("health UP", "cache org.springframework.data.redis.cache.RedisCacheManager true")
				.anyMatch((line) -> line.startsWith("bean distributedLockDefaultTemplate of io.distributedlock."))
				.anyMatch((line) -> line.startsWith("bean distributedLockProviderRedisson"));
			assertThat(comparison.withExceptLocks()).isEqualTo(comparison.without());
		}
	}

}
