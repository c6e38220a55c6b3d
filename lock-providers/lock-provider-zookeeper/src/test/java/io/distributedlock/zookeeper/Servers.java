package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * Servers with short ticks, so that sessions can be short, and clients of them.
 */
final class Servers {

	static final int SESSION_MILLIS = 3800;

	static final int TICK_MILLIS = 200;

	private Servers() {
	}

	static TestingServer run() throws Exception {
		return new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1,
				Map.of("admin.enableServer", "false", "4lw.commands.whitelist", "*")), true);
	}

	static CuratorFramework connect(String address) {
		return connect(address, Duration.ofSeconds(2));
	}

	static CuratorFramework connect(String address, Duration connectionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(address, SESSION_MILLIS,
				(int) connectionTimeout.toMillis(), new RetryOneTime(50));
		client.start();
		return client;
	}

}
