package io.distributedlock.test.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * A Redis cluster of three primaries, each with a third of the slots.
 *
 * @since 0.1
 */
public final class RedisTestCluster implements AutoCloseable {

	private static final int SIZE = 3;

	private static final int SLOTS = 16384;

	private final List<RedisTestServer> servers = new ArrayList<>();

	private RedisTestCluster() {
	}

	/**
	 * Start a cluster and wait until it serves.
	 * @return the cluster
	 */
	public static RedisTestCluster run() {
		RedisTestCluster cluster = new RedisTestCluster();
		try {
			cluster.start();
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
		return cluster;
	}

	/**
	 * Return the nodes.
	 * @return three primaries
	 */
	public List<RedisTestServer> servers() {
		return List.copyOf(this.servers);
	}

	@Override
	public void close() {
		this.servers.forEach(RedisTestServer::close);
	}

	private void start() {
		for (int i = 0; i < SIZE; i++) {
			RedisTestServer server = RedisTestServer.run("--cluster-enabled", "yes", "--cluster-node-timeout", "2000");
			this.servers.add(server);
			String[] addSlots = Stream
				.concat(Stream.of("CLUSTER", "ADDSLOTS"),
						IntStream.range(SLOTS * i / SIZE, SLOTS * (i + 1) / SIZE).mapToObj(Integer::toString))
				.toArray(String[]::new);
			server.command(addSlots);
			server.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(this.servers.get(0).port()));
		}
		Awaitility.await("cluster")
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.servers.stream()
				.map((server) -> String.valueOf(server.command("CLUSTER", "INFO")))
				.allMatch((info) -> info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + SIZE)));
	}

}
