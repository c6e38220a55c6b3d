package io.distributedlock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.ServerProcess;

/**
 * Three servers that reach each other through proxies, so that one can be cut off from
 * the others while its clients still reach it.
 */
final class Ensemble implements AutoCloseable {

	private static final int SIZE = 3;

	private final List<ZooKeeperTestServer> servers;

	/**
	 * The links by which one server follows another.
	 */
	private final TcpProxy[][] links = new TcpProxy[SIZE][SIZE];

	private Ensemble(List<ZooKeeperTestServer> servers) {
		this.servers = servers;
	}

	/**
	 * Start three servers.
	 * @param syncTicks after how many ticks without a word a follower and its leader
	 * leave each other
	 */
	static Ensemble run(int syncTicks) {
		List<ZooKeeperTestServer> servers = Stream.generate(ZooKeeperTestServer::prepare).limit(SIZE).toList();
		Ensemble ensemble = new Ensemble(servers);
		for (int i = 0; i < SIZE; i++) {
			List<String> members = new ArrayList<>();
			for (int j = 0; j < SIZE; j++) {
				members.add("server.%s=127.0.0.1:%s:%s".formatted(j + 1, ensemble.quorumPort(i, j),
						servers.get(j).electionPort()));
			}
			servers.get(i).join(i + 1, members, syncTicks);
		}
		ServerProcess.startTogether(servers);
		return ensemble;
	}

	ZooKeeperTestServer leader() {
		return found(ZooKeeperTestServer::isLeader);
	}

	ZooKeeperTestServer follower() {
		return found((server) -> !server.isLeader());
	}

	private ZooKeeperTestServer found(Predicate<ZooKeeperTestServer> role) {
		// a member may be busy, or be elected later
		return Patience.await("member")
			.ignoreExceptions()
			.until(() -> this.servers.stream().filter(role).findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	List<ZooKeeperTestServer> servers() {
		return this.servers;
	}

	/**
	 * Let nothing through between a server and its leader or followers, while the
	 * connections stay open.
	 */
	void cutOff(ZooKeeperTestServer server) {
		linksOf(server).forEach(TcpProxy::blackHole);
	}

	/**
	 * End {@link #cutOff}.
	 */
	void rejoin(ZooKeeperTestServer server) {
		linksOf(server).forEach(TcpProxy::heal);
	}

	private Stream<TcpProxy> linksOf(ZooKeeperTestServer server) {
		int number = this.servers.indexOf(server);
		return IntStream.range(0, SIZE)
			.filter((i) -> i != number)
			.mapToObj((i) -> Stream.of(this.links[number][i], this.links[i][number]))
			.flatMap(Function.identity());
	}

	@Override
	public void close() {
		Stream.of(this.links).flatMap(Stream::of).filter((link) -> link != null).forEach(TcpProxy::close);
		this.servers.forEach(ServerProcess::close);
	}

	private int quorumPort(int from, int to) {
		int port = this.servers.get(to).quorumPort();
		if (from == to) {
			return port;
		}
		this.links[from][to] = new TcpProxy(port);
		return this.links[from][to].port();
	}

}
