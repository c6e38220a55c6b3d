package io.distributedlock.redis;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("all")
class BrokenRedisCutsTests {

	@Test
	void exclusionHoldsWithDowngradesUnderRandomCuts() throws Exception {
		List<RedisClient> clients = new ArrayList<>();
		long seed = Long.getLong("cuts.seed", System.nanoTime());
		BrokenCuts cuts = new BrokenCuts(seed, LockRequest.of("k"));
		try (RedisTestServer server = RedisTestServer.run()) {
			List<String> conflicts = cuts.run(URI.create(server.url()).getPort(), (port) -> {
				RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
				clients.add(client);
				return new RedisLockProvider(client, Duration.ofMillis(700));
			}, Duration.ofSeconds(Long.getLong("cuts.seconds", 60)));
			System.out.println("downgrades " + cuts.downgrades + " holds " + cuts.holds.size());
			assertThat(conflicts).as("seed %d", seed).isEmpty();
			clients.forEach(RedisClient::shutdown);
		}
	}

}
