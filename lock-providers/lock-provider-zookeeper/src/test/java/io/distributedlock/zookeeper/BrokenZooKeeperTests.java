package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockRequest;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("all")
class BrokenZooKeeperTests {

	@Test
	void exclusionHoldsWithDowngradesUnderRandomCuts() throws Exception {
		List<CuratorFramework> clients = new ArrayList<>();
		long seed = Long.getLong("cuts.seed", System.nanoTime());
		BrokenCuts cuts = new BrokenCuts(seed, LockRequest.of("k"));
		try (TestingServer server = Servers.run()) {
			List<String> conflicts = cuts.run(server.getPort(), (port) -> {
				CuratorFramework client = Servers.connect("127.0.0.1:" + port);
				clients.add(client);
				return new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, Duration.ofMillis(700));
			}, Duration.ofSeconds(Long.getLong("cuts.seconds", 60)));
			System.out.println("downgrades " + cuts.downgrades + " holds " + cuts.holds.size());
			assertThat(conflicts).as("seed %d", seed).isEmpty();
			clients.forEach(CuratorFramework::close);
		}
	}

}
