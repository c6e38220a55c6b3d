package io.distributedlock.test.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.test.patience.Patience;

/**
 * A Redis cluster of three primaries, each with a third of the slots. Each primary may
 * have a replica.
 *
 * @since 0.1
 */
public final class RedisTestCluster implements AutoCloseable {

	private static final int SIZE = 3;

	private static final int SLOTS = 16384;

	/**
	 * The milliseconds of silence after which a node counts as failed, while nodes meet.
	 */
	private static final String SHORT_TIMEOUT = "2000";

	/**
	 * The same for all other times: on a busy machine a replica would otherwise take over
	 * from a primary that has not failed.
	 */
	private static final String LONG_TIMEOUT = "10000";

	private final List<RedisTestServer> servers = new ArrayList<>();

	private final List<RedisTestServer> replicas = new ArrayList<>();

	private RedisTestCluster() {
	}

	/**
	 * Start a cluster and wait until it accepts commands.
	 * @return the cluster
	 */
	public static RedisTestCluster run() {
		RedisTestCluster cluster = new RedisTestCluster();
		try {
			cluster.start();
			cluster.nodes().forEach((node) -> setNodeTimeout(node, LONG_TIMEOUT));
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
		return cluster;
	}

	/**
	 * Start a cluster in which each primary has a replica, and wait until it accepts
	 * commands.
	 * @return the cluster
	 */
	public static RedisTestCluster runWithReplicas() {
		RedisTestCluster cluster = run();
		try {
			cluster.startReplicas();
			cluster.nodes().forEach((node) -> setNodeTimeout(node, LONG_TIMEOUT));
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
		return cluster;
	}

	/**
	 * Return the keys in the slot of a key.
	 * @param key the key
	 * @return the names of up to 100 keys
	 */
	public List<String> keysBeside(String key) {
		List<?> keys = (List<?>) Objects
			.requireNonNull(primaryOf(key).command("CLUSTER", "GETKEYSINSLOT", slotOf(key), "100"));
		return keys.stream().map(String::valueOf).toList();
	}

	/**
	 * Begin to move the slot of a key to another primary: no key has moved yet, and keys
	 * that are new are made there. {@link #moveSlotOf} does the rest.
	 * @param key the key
	 */
	public void beginMoveOfSlotOf(String key) {
		beginMove(slotOf(key), primaryOf(key));
	}

	/**
	 * Begin to move the slot of a key, and move some of its keys. {@link #moveSlotOf}
	 * does the rest.
	 * @param moved the names of the keys
	 */
	public void beginMoveWith(List<String> moved) {
		RedisTestServer from = primaryOf(moved.get(0));
		RedisTestServer to = beginMove(slotOf(moved.get(0)), from);
		moved.forEach((key) -> migrate(from, to, key));
	}

	private static void migrate(RedisTestServer from, RedisTestServer to, String key) {
		from.command("MIGRATE", "127.0.0.1", Integer.toString(to.port()), key, "0", "30000");
	}

	private RedisTestServer beginMove(String slot, RedisTestServer from) {
		RedisTestServer to = this.servers.get((this.servers.indexOf(from) + 1) % SIZE);
		to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", idOf(from));
		from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", idOf(to));
		return to;
	}

	/**
	 * Move the slot of a key, with all its keys, to another primary, as resharding does.
	 * @param key the key
	 */
	public void moveSlotOf(String key) {
		RedisTestServer from = primaryOf(key);
		String slot = slotOf(key);
		RedisTestServer to = beginMove(slot, from);
		while (from.command("CLUSTER", "GETKEYSINSLOT", slot, "1") instanceof List<?> keys && !keys.isEmpty()) {
			migrate(from, to, String.valueOf(keys.get(0)));
		}
		to.command("CLUSTER", "SETSLOT", slot, "NODE", idOf(to));
		this.servers.forEach((server) -> server.command("CLUSTER", "SETSLOT", slot, "NODE", idOf(to)));
		awaitEpochs();
	}

	/**
	 * Wait until all nodes know the new epoch of the primary that has got a slot. Two
	 * primaries that get slots before they have heard of each other count to the same
	 * epoch. One of them counts on, and a node with an old message of it may then take it
	 * for the owner of a slot that it has lost: the primaries send clients to each other
	 * for ever.
	 */
	private void awaitEpochs() {
		Patience.await("epochs").pollInterval(Duration.ofMillis(100)).until(() -> {
			Set<Map<String, String>> views = nodes().stream()
				.map(RedisTestCluster::epochsOfPrimaries)
				.collect(Collectors.toSet());
			Collection<String> epochs = views.iterator().next().values();
			return views.size() == 1 && Set.copyOf(epochs).size() == epochs.size();
		});
	}

	private static Map<String, String> epochsOfPrimaries(RedisTestServer asked) {
		return String.valueOf(asked.command("CLUSTER", "NODES"))
			.lines()
			.map((line) -> line.split(" ", -1))
			.filter((columns) -> columns[2].contains("master"))
			.collect(Collectors.toMap((columns) -> columns[0], (columns) -> columns[6]));
	}

	/**
	 * Promote the replica of one of the three first primaries, as an administrator does
	 * for maintenance, and wait until all nodes know it.
	 * @param primary the primary
	 */
	public void failOver(RedisTestServer primary) {
		RedisTestServer replica = replicaOf(primary);
		String id = idOf(replica);
		AtomicInteger looks = new AtomicInteger();
		// Redis 5 lets a primary answer nobody until its replica has caught up
		Patience.await("failover").ignoreExceptions().pollInterval(Duration.ofMillis(100)).until(() -> {
			// Redis abandons a failover after 5 s if the other primaries do not vote in
			// time
			if (looks.getAndIncrement() % 100 == 0 && !isPrimary(replica, id)) {
				replica.command("CLUSTER", "FAILOVER");
			}
			return nodes().stream().allMatch((node) -> isPrimary(node, id));
		});
	}

	/**
	 * Remove a node that serves no keys, as an administrator does. It goes on running.
	 * @param node the node
	 */
	public void remove(RedisTestServer node) {
		String id = idOf(node);
		node.command("CLUSTER", "RESET", "SOFT");
		nodes().stream().filter((other) -> other != node).forEach((other) -> other.command("CLUSTER", "FORGET", id));
	}

	/**
	 * Kill the primary of a key and let its replica take over, which asks no other node:
	 * on a busy machine elections may end without a result again and again.
	 * @param key the key
	 */
	public void killPrimaryOf(String key) {
		RedisTestServer primary = primaryOf(key);
		RedisTestServer replica = replicaOf(primary);
		String id = idOf(replica);
		primary.kill();
		replica.command("CLUSTER", "FAILOVER", "TAKEOVER");
		Patience.await("takeover").pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
			for (RedisTestServer node : nodes()) {
				if (node != primary && !(isPrimary(node, id) && isServing(node))) {
					throw new AssertionError(node.command("CLUSTER", "INFO") + "\n" + node.command("CLUSTER", "NODES"));
				}
			}
		});
	}

	/**
	 * Wait until each node accepts commands.
	 */
	public void awaitServing() {
		awaitState((info) -> true);
	}

	/**
	 * Return which of the three first primaries serves a key. Fails if a replica has
	 * taken over from that primary.
	 * @param key the key
	 * @return the primary
	 */
	public RedisTestServer primaryOf(String key) {
		String slot = slotOf(key);
		return this.servers.stream()
			.filter((server) -> serves(server, Integer.parseInt(slot)))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No primary serves the slot of " + key));
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

	/**
	 * Start a node. With the validity factor 0 a replica may take over however long it
	 * was cut off from its primary. Elections fail on a busy machine, and by default a
	 * replica would no longer try after half a minute.
	 */
	private static RedisTestServer runNode() {
		return RedisTestServer.run("--cluster-enabled", "yes", "--cluster-node-timeout", SHORT_TIMEOUT,
				"--cluster-replica-validity-factor", "0");
	}

	private static void setNodeTimeout(RedisTestServer node, String millis) {
		node.command("CONFIG", "SET", "cluster-node-timeout", millis);
	}

	private List<RedisTestServer> nodes() {
		return Stream.concat(this.servers.stream(), this.replicas.stream()).toList();
	}

	private void startReplicas() {
		for (RedisTestServer primary : this.servers) {
			RedisTestServer replica = runNode();
			this.replicas.add(replica);
			replica.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(primary.port()));
		}
		awaitState((info) -> info.contains("cluster_known_nodes:" + 2 * SIZE));
		this.replicas.forEach((replica) -> replica.command("CLUSTER", "REPLICATE",
				idOf(this.servers.get(this.replicas.indexOf(replica)))));
		Patience.await("replicas")
			.until(() -> this.replicas.stream()
				.map((replica) -> String.valueOf(replica.command("INFO", "replication")))
				.allMatch((info) -> info.contains("master_link_status:up")));
	}

	String slotOf(String key) {
		return String.valueOf(this.servers.get(0).command("CLUSTER", "KEYSLOT", key));
	}

	private static String idOf(RedisTestServer server) {
		return String.valueOf(server.command("CLUSTER", "MYID"));
	}

	/**
	 * Return whether a node sees the node with an id as a primary.
	 */
	private static boolean isPrimary(RedisTestServer asked, String id) {
		return String.valueOf(asked.command("CLUSTER", "NODES"))
			.lines()
			.anyMatch((line) -> line.startsWith(id) && line.contains("master"));
	}

	private static boolean isServing(RedisTestServer node) {
		return String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok");
	}

	private static boolean serves(RedisTestServer server, int slot) {
		String own = String.valueOf(server.command("CLUSTER", "NODES"))
			.lines()
			.filter((line) -> line.contains("myself"))
			.findFirst()
			.orElseThrow();
		// the slots follow after eight columns; those that are moving are in brackets
		return Stream.of(own.split(" ", -1)).skip(8).filter((range) -> !range.startsWith("[")).anyMatch((range) -> {
			String[] ends = range.split("-", 2);
			return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
		});
	}

	private void awaitState(Predicate<String> state) {
		Patience.await("cluster")
			.until(() -> nodes().stream()
				.map((server) -> String.valueOf(server.command("CLUSTER", "INFO")))
				.allMatch((info) -> info.contains("cluster_state:ok") && state.test(info)));
	}

	private void start() {
		for (int i = 0; i < SIZE; i++) {
			RedisTestServer server = runNode();
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
