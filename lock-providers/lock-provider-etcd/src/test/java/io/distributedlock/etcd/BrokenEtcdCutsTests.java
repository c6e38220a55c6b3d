package io.distributedlock.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("all")
class BrokenEtcdCutsTests {

	@Test
	void exclusionHoldsWithDowngradesUnderRandomCuts() throws Exception {
		List<Client> clients = new ArrayList<>();
		long seed = Long.getLong("cuts.seed", System.nanoTime());
		BrokenCuts cuts = new BrokenCuts(seed, LockRequest.of("k"));
		try (EtcdTestServer server = EtcdTestServer.run()) {
			List<String> conflicts = cuts.run(URI.create(server.url()).getPort(), (port) -> {
				Client client = EtcdClients.forLocks(Client.builder(), Duration.ofMillis(700))
					.endpoints("http://127.0.0.1:" + port)
					.build();
				clients.add(client);
				return new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, Duration.ofMillis(700));
			}, Duration.ofSeconds(Long.getLong("cuts.seconds", 60)));
			System.out.println("downgrades " + cuts.downgrades + " holds " + cuts.holds.size());
			assertThat(conflicts).as("seed %d", seed).isEmpty();
			clients.forEach(Client::close);
		}
	}

}
