package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The late write of a holder that was paused beyond its lease is refused.
 */
class RedisFencedResourceTests {

	@Test
	void lateWriteIsRefused() {
		try (RedisTestServer server = RedisTestServer.run()) {
			RedisClient client = Clients.client("redis://127.0.0.1:" + server.port());
			try (RedisLockProvider provider = new RedisLockProvider(client, Patience.LIMIT);
					DefaultLockTemplate paused = DefaultLockTemplate.builder()
						.provider(provider)
						.keyPrefix("lock")
						.build();
					DefaultLockTemplate other = DefaultLockTemplate.builder()
						.provider(provider)
						.keyPrefix("lock")
						.build();
					RedisFencedResource resource = new RedisFencedResource(client, Patience.LIMIT)) {
				LockHandle stale = paused.acquire(LockRequest.of("config").withLeaseTime(Duration.ofSeconds(2)));
				long staleToken = stale.fencingToken().orElseThrow();
				resource.set("config", "first", staleToken);
				Patience.await().until(() -> !stale.isValid());
				try (LockHandle successor = other.acquire("config")) {
					resource.set("config", "second", successor.fencingToken().orElseThrow());
					assertThatExceptionOfType(StaleTokenException.class)
						.isThrownBy(() -> resource.set("config", "late", staleToken))
						.withMessageContaining("config");
					assertThatExceptionOfType(StaleTokenException.class)
						.isThrownBy(() -> resource.delete("config", staleToken));
					assertThat(server.command("GET", "config")).isEqualTo("second");
					resource.delete("config", successor.fencingToken().orElseThrow());
					assertThat(server.command("EXISTS", "config")).isEqualTo(0L);
				}
			}
			finally {
				Clients.shutdown(client);
			}
		}
	}

}
