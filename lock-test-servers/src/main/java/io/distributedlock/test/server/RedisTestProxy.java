package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A service in front of a Redis cluster that looks like a single server, as cloud
 * providers have them. It sends each command to the node of its keys, and runs a script
 * only if it can read its keys in the text.
 *
 * @since 0.1
 */
public final class RedisTestProxy implements AutoCloseable {

	/**
	 * Commands that such a service does not know.
	 */
	private static final Set<String> UNKNOWN = Set.of("SELECT", "CLIENT", "HELLO", "CLUSTER", "WAIT");

	private static final Set<String> WITHOUT_KEYS = Set.of("INFO", "PUBSUB", "PUBLISH", "PING");

	private final RedisTestCluster cluster;

	private final Set<String> lacking;

	private final ServerSocket server;

	private final Set<RespConnection> connections = ConcurrentHashMap.newKeySet();

	private final Map<String, String> scripts = new ConcurrentHashMap<>();

	private final Map<String, String> digests = new ConcurrentHashMap<>();

	private final Map<String, String> slots = new ConcurrentHashMap<>();

	/**
	 * By slot, none of which is moved.
	 */
	private final Map<String, RedisTestServer> primaries = new ConcurrentHashMap<>();

	private final Set<String> refused = ConcurrentHashMap.newKeySet();

	private RedisTestProxy(RedisTestCluster cluster, Set<String> lacking) throws IOException {
		this.cluster = cluster;
		this.lacking = lacking;
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(() -> {
			while (true) {
				RespConnection client = opened(new RespConnection(this.server.accept()));
				start(() -> new Session(client).serve());
			}
		});
	}

	/**
	 * Start a proxy.
	 * @param cluster the cluster behind it
	 * @param lacking further commands that it does not know, such as {@code EVALSHA}, nor
	 * scripts that it runs; {@code HEARERS} if nobody hears what a script publishes
	 * @return the proxy
	 */
	public static RedisTestProxy before(RedisTestCluster cluster, String... lacking) {
		try {
			return new RedisTestProxy(cluster, Set.of(lacking));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the address of the proxy.
	 * @return the address
	 */
	public String url() {
		return "redis://127.0.0.1:" + this.server.getLocalPort();
	}

	/**
	 * Return the scripts that the proxy has refused, as it cannot read their keys.
	 * @return the scripts, each with what is wrong
	 */
	public Set<String> refused() {
		return this.refused;
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		for (RespConnection each : this.connections) {
			each.close();
		}
	}

	private RespConnection opened(RespConnection connection) {
		this.connections.add(connection);
		return connection;
	}

	private static void start(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException ex) {
				// one side has closed the connection
			}
		}, "redis-test-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private String slotOf(String key) {
		return this.slots.computeIfAbsent(key, this.cluster::slotOf);
	}

	private RedisTestServer primaryOf(String key) {
		return this.primaries.computeIfAbsent(slotOf(key), (slot) -> this.cluster.primaryOf(key));
	}

	private String load(String source) throws IOException {
		String known = this.digests.get(source);
		if (known != null) {
			return known;
		}
		List<String> broken = ScriptRules.broken(source);
		if (!broken.isEmpty()) {
			this.refused.add(broken + " in " + source);
			throw new IOException("ERR bad lua script for redis cluster, " + broken);
		}
		String digest = String.valueOf(this.cluster.servers().get(0).command("SCRIPT", "LOAD", source));
		this.scripts.put(digest, source);
		this.digests.put(source, digest);
		return digest;
	}

	/**
	 * Work that fails once a connection is closed.
	 */
	private interface Work {

		void run() throws IOException;

	}

	/**
	 * What a client has asked for, with a connection to each node that it has used.
	 */
	private final class Session {

		private final RespConnection client;

		private final Map<Integer, RespConnection> nodes = new HashMap<>();

		private boolean listening;

		private Session(RespConnection client) {
			this.client = client;
		}

		private void serve() throws IOException {
			try (this.client) {
				while (true) {
					List<?> command = (List<?>) Objects.requireNonNull(this.client.read());
					answer(command.stream().map(String::valueOf).toList());
				}
			}
			finally {
				for (RespConnection each : this.nodes.values()) {
					each.close();
				}
			}
		}

		private void answer(List<String> command) throws IOException {
			String name = command.get(0).toUpperCase(Locale.ROOT);
			boolean known = !UNKNOWN.contains(name) && !lacking.contains(name);
			if (known && (this.listening || name.endsWith("SUBSCRIBE"))) {
				listen(command);
				return;
			}
			Object reply;
			try {
				if (!known) {
					throw new IOException("ERR unknown command '" + name + "'");
				}
				reply = switch (name) {
					case "EVAL" -> evaluate(command.get(1), command);
					case "EVALSHA" -> evaluate(scripts.get(command.get(1)), command);
					case "SCRIPT" -> load(command.get(2));
					default -> forward(name, command);
				};
			}
			catch (IOException ex) {
				reply = ex;
			}
			this.client.write(reply);
		}

		private @Nullable Object evaluate(@Nullable String source, List<String> command) throws IOException {
			if (source == null) {
				throw new IOException("NOSCRIPT No matching script. Please use EVAL.");
			}
			load(source);
			List<String> keys = command.subList(3, 3 + Integer.parseInt(command.get(2)));
			if (keys.stream().map(RedisTestProxy.this::slotOf).distinct().count() != 1) {
				throw new IOException("CROSSSLOT Keys in request don't hash to the same slot, or there are none");
			}
			List<String> whole = new ArrayList<>(command);
			whole.set(0, "EVAL");
			whole.set(1, poorer(source));
			return node(primaryOf(keys.get(0))).send(whole.toArray(String[]::new));
		}

		private String poorer(String source) {
			if (lacking.contains("HEARERS")) {
				return "local function to_nobody() return 0 end "
						+ source.replace("redis.pcall('publish',", "to_nobody(");
			}
			return lacking.contains("PUBLISH") ? source.replace("'publish'", "'unknown'") : source;
		}

		private @Nullable Object forward(String name, List<String> command) throws IOException {
			RedisTestServer server = WITHOUT_KEYS.contains(name) ? cluster.servers().get(0) : primaryOf(command.get(1));
			return node(server).send(command.toArray(String[]::new));
		}

		/**
		 * Let the client listen to one node, which hears what is published on any.
		 */
		private void listen(List<String> command) throws IOException {
			RespConnection node = node(cluster.servers().get(0));
			if (!this.listening) {
				this.listening = true;
				start(() -> node.transferTo(this.client));
			}
			node.write(command);
		}

		private RespConnection node(RedisTestServer server) throws IOException {
			RespConnection known = this.nodes.get(server.port());
			if (known == null) {
				known = opened(RespConnection.endless(server.port()));
				this.nodes.put(server.port(), known);
			}
			return known;
		}

	}

}
