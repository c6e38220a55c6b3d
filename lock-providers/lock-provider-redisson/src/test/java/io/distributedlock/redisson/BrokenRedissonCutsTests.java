package io.distributedlock.redisson;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("all")
class BrokenRedissonCutsTests extends OnOneServer {

	@Test
	void exclusionHoldsWithDowngradesUnderRandomCuts() throws Exception {
		List<RedissonClient> clients = new ArrayList<>();
		long seed = Long.getLong("cuts.seed", System.nanoTime());
		BrokenCuts cuts = new BrokenCuts(seed, LockRequest.of("k"));
		List<String> conflicts = cuts.run(URI.create(server.url()).getPort(), (port) -> {
			RedissonClient client = Clients.connect("redis://127.0.0.1:" + port);
			clients.add(client);
			return new RedissonLockProvider(client);
		}, Duration.ofSeconds(Long.getLong("cuts.seconds", 60)));
		System.out.println("downgrades " + cuts.downgrades + " holds " + cuts.holds.size());
		assertThat(conflicts).as("seed %d", seed).isEmpty();
		clients.forEach(RedissonClient::shutdown);
	}

}
