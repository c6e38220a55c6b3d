package io.distributedlock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.test.network.TcpProxy;
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

	static Ensemble run() {
		List<ZooKeeperTestServer> servers = Stream.generate(ZooKeeperTestServer::prepare).limit(SIZE).toList();
		Ensemble ensemble = new Ensemble(servers);
		for (int i = 0; i < SIZE; i++) {
			List<String> members = new ArrayList<>();
			for (int j = 0; j < SIZE; j++) {
				members.add("server.%d=127.0.0.1:%d:%d".formatted(j + 1, ensemble.quorumPort(i, j),
						servers.get(j).electionPort()));
			}
			servers.get(i).join(i + 1, members);
		}
		ServerProcess.startTogether(servers);
		return ensemble;
	}

	ZooKeeperTestServer leader() {
		return this.servers.stream().filter(ZooKeeperTestServer::isLeader).findFirst().orElseThrow();
	}

	ZooKeeperTestServer follower() {
		return this.servers.stream().filter((server) -> !server.isLeader()).findFirst().orElseThrow();
	}

	/**
	 * Let nothing through between a follower and its leader, while the connection stays
	 * open.
	 */
	void cutOff(ZooKeeperTestServer follower) {
		for (TcpProxy link : this.links[this.servers.indexOf(follower)]) {
			if (link != null) {
				link.blackHole();
			}
		}
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
