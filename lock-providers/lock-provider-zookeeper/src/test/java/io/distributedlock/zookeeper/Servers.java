package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.test.server.ServerProcess;
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

	/**
	 * So long that a lease in it, which is proven for two fifths of it, lasts longer than
	 * an election takes on a busy machine.
	 */
	static final int LONG_SESSION_MILLIS = 300_000;

	private Servers() {
	}

	static TestingServer run() throws Exception {
		return run(TICK_MILLIS);
	}

	static TestingServer run(int tickMillis) throws Exception {
		return new TestingServer(spec(tickMillis), true);
	}

	/**
	 * Describe a server. Curator's own choice of ports takes those of outgoing
	 * connections, and of servers that other JVMs are about to start.
	 */
	static InstanceSpec spec(int tickMillis) {
		return new InstanceSpec(null, ServerProcess.freePort(), ServerProcess.freePort(), ServerProcess.freePort(),
				true, -1, tickMillis, -1, Map.of("admin.enableServer", "false", "4lw.commands.whitelist", "*",
						"maxSessionTimeout", Integer.toString(LONG_SESSION_MILLIS)));
	}

	static CuratorFramework connect(String address) {
		return connect(address, Duration.ofSeconds(2));
	}

	/**
	 * Connect with a session that does not end however long a busy machine stops a
	 * thread.
	 */
	static CuratorFramework patient(String address) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(address, LONG_SESSION_MILLIS, 30_000,
				new RetryOneTime(50));
		client.start();
		return client;
	}

	static CuratorFramework connect(String address, Duration connectionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(address, SESSION_MILLIS,
				(int) connectionTimeout.toMillis(), new RetryOneTime(50));
		client.start();
		return client;
	}

}
