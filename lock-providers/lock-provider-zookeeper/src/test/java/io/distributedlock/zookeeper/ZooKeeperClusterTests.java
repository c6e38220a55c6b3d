package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.distributedlock.test.CallsUnderFault;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Three servers that fail one at a time while calls go on. The client of each node knows
 * one server only, so one of them has the leader.
 */
@EnabledIf("io.distributedlock.test.CallsUnderFault#haveTime")
class ZooKeeperClusterTests {

	/**
	 * As with ZooKeeper's defaults, shorter than a session.
	 */
	private static final int SYNC_TICKS = 10;

	private static final Duration LONGER_THAN_A_SESSION = Duration.ofSeconds(6);

	private final List<CuratorFramework> clients = new ArrayList<>();

	private Ensemble ensemble;

	private CallsUnderFault calls;

	@BeforeEach
	void start() {
		this.ensemble = Ensemble.run(SYNC_TICKS);
		this.ensemble.servers().forEach((server) -> this.clients.add(Servers.connect(server.address())));
		this.calls = new CallsUnderFault(this.clients.stream()
			.map((client) -> new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT,
					Duration.ofSeconds(3)))
			.toList(), Duration.ofSeconds(5));
	}

	@AfterEach
	void stop() {
		this.calls.close();
		this.clients.forEach(CuratorFramework::close);
		this.ensemble.close();
	}

	@Test
	void lockHasOneOwnerWhileServersFail() throws Exception {
		this.calls.haveOneOwnerAtATime(LONGER_THAN_A_SESSION,
				Map.of("leader stopped", () -> stop(this.ensemble.leader()), "leader cut off",
						() -> cutOff(this.ensemble.leader()), "follower cut off",
						() -> cutOff(this.ensemble.follower()), "follower stopped",
						() -> stop(this.ensemble.follower()), "leader killed", () -> {
							ZooKeeperTestServer leader = this.ensemble.leader();
							leader.kill();
							return leader::start;
						}));
	}

	private Runnable cutOff(ZooKeeperTestServer server) {
		this.ensemble.cutOff(server);
		return () -> this.ensemble.rejoin(server);
	}

	private static Runnable stop(ZooKeeperTestServer server) {
		server.suspend();
		return server::resume;
	}

}
