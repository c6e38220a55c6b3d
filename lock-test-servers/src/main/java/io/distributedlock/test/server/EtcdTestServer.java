package io.distributedlock.test.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.test.network.TcpProxy;

/**
 * A real etcd with its data in a folder of its own: the program that the system property
 * {@code lock.test.etcd} names, or else the one on the {@code PATH}, or else from the
 * distribution's package.
 *
 * @since 0.1
 */
public final class EtcdTestServer extends ServerProcess {

	private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

	private static final List<Supplier<Optional<ServerBinary>>> SOURCES = List.of(
			() -> ServerBinary.fromProperty("lock.test.etcd"), () -> ServerBinary.onPath("etcd"),
			() -> ServerBinary.fromDebianPackage("etcd-server", "usr/bin/etcd"));

	private final ServerBinary binary;

	private final int peerPort = freePort();

	/**
	 * Where the other members reach this one.
	 */
	private final TcpProxy peers = new TcpProxy(this.peerPort);

	private final int healthPort = freePort();

	private final List<String> arguments;

	private final String name;

	private String cluster;

	private EtcdTestServer(ServerBinary binary, int number, String... arguments) {
		super("etcd");
		this.binary = binary;
		this.name = "node" + number;
		this.arguments = List.of(arguments);
		this.cluster = member();
	}

	/**
	 * Return whether this machine has the program.
	 * @return {@code true} if a server can be started
	 */
	public static boolean isAvailable() {
		return SOURCES.stream().anyMatch((source) -> source.get().isPresent());
	}

	/**
	 * Start a server. Without a program the test is skipped, see {@link ServerBinary}.
	 * @return the server, which is ready
	 */
	public static EtcdTestServer run() {
		EtcdTestServer server = new EtcdTestServer(binary(), 0);
		server.start();
		return server;
	}

	/**
	 * Start a server that accepts clients over TLS only.
	 * @param certificate the file of the certificate for 127.0.0.1, in PEM
	 * @param key the file of its key, in PEM
	 * @return the server, which is ready
	 */
	public static EtcdTestServer runWithTls(Path certificate, Path key) {
		EtcdTestServer server = new EtcdTestServer(binary(), 0, "--cert-file", certificate.toString(), "--key-file",
				key.toString());
		server.start();
		return server;
	}

	/**
	 * Start a cluster.
	 * @param size the number of servers
	 * @return the servers, which have elected a leader
	 */
	public static List<EtcdTestServer> runCluster(int size) {
		List<EtcdTestServer> servers = IntStream.range(0, size)
			.mapToObj((i) -> new EtcdTestServer(binary(), i))
			.toList();
		String members = servers.stream().map(EtcdTestServer::member).collect(Collectors.joining(","));
		servers.forEach((server) -> server.cluster = members);
		startTogether(servers);
		return servers;
	}

	/**
	 * Return the address for clients.
	 * @return an {@code http://} address, {@code https://} with TLS
	 */
	public String url() {
		return (this.arguments.contains("--cert-file") ? "https" : "http") + "://127.0.0.1:" + port();
	}

	/**
	 * Let the other members of a cluster no longer hear this one. It still hears them,
	 * and its clients reach it.
	 */
	public void mute() {
		this.peers.blackHole();
	}

	/**
	 * End {@link #mute()}.
	 */
	public void unmute() {
		this.peers.heal();
	}

	@Override
	public void close() {
		super.close();
		this.peers.close();
	}

	@Override
	protected List<String> command() {
		List<String> command = new ArrayList<>(List.of(this.binary.path().toString(), "--name", this.name, "--data-dir",
				folder().resolve("data").toString(), "--listen-client-urls", url(), "--advertise-client-urls", url(),
				"--listen-peer-urls", "http://127.0.0.1:" + this.peerPort, "--initial-advertise-peer-urls", peerUrl(),
				"--initial-cluster", this.cluster, "--initial-cluster-state", "new", "--listen-metrics-urls",
				healthUrl()));
		command.addAll(this.arguments);
		return command;
	}

	@Override
	protected Map<String, String> environment() {
		return this.binary.environment();
	}

	@Override
	protected boolean isReady() {
		try {
			HttpRequest request = HttpRequest.newBuilder(URI.create(healthUrl() + "/health")).build();
			// a time-out of the request would end with the headers of its answer
			return HTTP.sendAsync(request, HttpResponse.BodyHandlers.ofString())
				.get(2, TimeUnit.SECONDS)
				.body()
				.contains("true");
		}
		catch (ExecutionException | TimeoutException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private String peerUrl() {
		return "http://127.0.0.1:" + this.peers.port();
	}

	private String healthUrl() {
		return "http://127.0.0.1:" + this.healthPort;
	}

	private String member() {
		return this.name + "=" + peerUrl();
	}

	private static ServerBinary binary() {
		return ServerBinary.require("etcd", SOURCES);
	}

}
