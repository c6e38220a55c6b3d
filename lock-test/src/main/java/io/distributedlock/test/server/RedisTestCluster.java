package io.distributedlock.test.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * A Redis cluster of three primaries, each with a third of the slots, and if asked for a
 * replica of each.
 *
 * @since 0.1
 */
public final class RedisTestCluster implements AutoCloseable {

	private static final int SIZE = 3;

	private static final int SLOTS = 16384;

	private final List<RedisTestServer> servers = new ArrayList<>();

	private final List<RedisTestServer> replicas = new ArrayList<>();

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
	 * Start a cluster in which each primary has a replica, and wait until it serves.
	 * @return the cluster
	 */
	public static RedisTestCluster runWithReplicas() {
		RedisTestCluster cluster = run();
		try {
			cluster.startReplicas();
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
		return cluster;
	}

	/**
	 * Move the slot of a key to another primary, with all keys in it, as resharding does.
	 * @param key the key
	 */
	public void moveSlotOf(String key) {
		RedisTestServer from = primaryOf(key);
		RedisTestServer to = this.servers.get((this.servers.indexOf(from) + 1) % SIZE);
		String slot = slotOf(key);
		to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", idOf(from));
		from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", idOf(to));
		while (from.command("CLUSTER", "GETKEYSINSLOT", slot, "1") instanceof List<?> keys && !keys.isEmpty()) {
			from.command("MIGRATE", "127.0.0.1", Integer.toString(to.port()), String.valueOf(keys.get(0)), "0", "5000");
		}
		to.command("CLUSTER", "SETSLOT", slot, "NODE", idOf(to));
		this.servers.forEach((server) -> server.command("CLUSTER", "SETSLOT", slot, "NODE", idOf(to)));
	}

	/**
	 * Return which of the three first primaries serves a key, as long as none was
	 * replaced by its replica.
	 * @param key the key
	 * @return the primary
	 */
	public RedisTestServer primaryOf(String key) {
		String slot = slotOf(key);
		return this.servers.stream()
			.filter((server) -> serves(server, Integer.parseInt(slot)))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Nobody serves the slot of " + key));
	}

	/**
	 * Return the replica of one of the three first primaries.
	 * @param primary the primary
	 * @return its replica
	 */
	public RedisTestServer replicaOf(RedisTestServer primary) {
		return this.replicas.get(this.servers.indexOf(primary));
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
		this.replicas.forEach(RedisTestServer::close);
		this.servers.forEach(RedisTestServer::close);
	}

	private void startReplicas() {
		for (RedisTestServer primary : this.servers) {
			RedisTestServer replica = RedisTestServer.run("--cluster-enabled", "yes", "--cluster-node-timeout", "2000");
			this.replicas.add(replica);
			replica.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(primary.port()));
		}
		awaitState((info) -> info.contains("cluster_known_nodes:" + 2 * SIZE));
		this.replicas.forEach((replica) -> replica.command("CLUSTER", "REPLICATE",
				idOf(this.servers.get(this.replicas.indexOf(replica)))));
		Awaitility.await("replicas")
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.replicas.stream()
				.map((replica) -> String.valueOf(replica.command("INFO", "replication")))
				.allMatch((info) -> info.contains("master_link_status:up")));
	}

	private String slotOf(String key) {
		return String.valueOf(this.servers.get(0).command("CLUSTER", "KEYSLOT", key));
	}

	private static String idOf(RedisTestServer server) {
		return String.valueOf(server.command("CLUSTER", "MYID"));
	}

	private static boolean serves(RedisTestServer server, int slot) {
		String own = String.valueOf(server.command("CLUSTER", "NODES"))
			.lines()
			.filter((line) -> line.contains("myself"))
			.findFirst()
			.orElseThrow();
		// after eight columns come the slots, those that move in brackets
		return Stream.of(own.split(" ", -1)).skip(8).filter((range) -> !range.startsWith("[")).anyMatch((range) -> {
			String[] ends = range.split("-", 2);
			return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
		});
	}

	private void awaitState(Predicate<String> state) {
		Awaitility.await("cluster")
			.atMost(Duration.ofSeconds(30))
			.until(() -> Stream.concat(this.servers.stream(), this.replicas.stream())
				.map((server) -> String.valueOf(server.command("CLUSTER", "INFO")))
				.allMatch((info) -> info.contains("cluster_state:ok") && state.test(info)));
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
		awaitState((info) -> info.contains("cluster_known_nodes:" + SIZE));
	}

}
