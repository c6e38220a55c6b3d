package io.distributedlock.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many bytes a lock costs.
 */
class RedisTrafficTests {

	private static final Pattern INPUT = Pattern.compile("total_net_input_bytes:(\\d+)");

	private static final int CYCLES = 500;

	@Test
	void uncontendedCycleSendsFewBytes() {
		try (RedisTestServer server = RedisTestServer.run()) {
			RedisClient client = Clients.client(server.url());
			RedisLockProvider provider = new RedisLockProvider(client, Duration.ofSeconds(2), "shop:lock");
			try (DefaultLockTemplate template = DefaultLockTemplate.builder()
				.provider(provider)
				.keyPrefix("shop:lock")
				.build()) {
				LockRequest request = LockRequest.of("redis:0").withWaitTime(Duration.ofSeconds(60));
				// sends the source of the scripts
				template.acquire(request).close();
				long before = bytes(server);
				for (int i = 0; i < CYCLES; i++) {
					template.acquire(request).close();
				}
				assertThat((bytes(server) - before) / CYCLES).isBetween(300L, 450L);
			}
			finally {
				provider.close();
				Clients.shutdown(client);
			}
		}
	}

	private static long bytes(RedisTestServer server) {
		Matcher matcher = INPUT.matcher(String.valueOf(server.command("INFO", "stats")));
		assertThat(matcher.find()).isTrue();
		return Long.parseLong(matcher.group(1));
	}

}
