package io.distributedlock.benchmarks.contention.server;

import java.util.Map;

import io.distributedlock.benchmarks.contention.contender.Backend;
import io.distributedlock.test.server.MemcachedTestServer;
import io.distributedlock.test.server.RedisTestServer;

/**
 * The server of a backend.
 */
public interface Server extends AutoCloseable {

	/**
	 * The commands that the server has run, those of scripts included.
	 */
	String COMMANDS = "commands";

	/**
	 * How often the server has read from a connection: the requests of clients, of which
	 * several may come together.
	 */
	String READS = "reads";

	/**
	 * The bytes that the server has read.
	 */
	String BYTES = "bytes";

	/**
	 * The runs of scripts.
	 */
	String SCRIPTS = "scripts";

	/**
	 * The entries of the server's log.
	 */
	String WRITES = "writes";

	/**
	 * The keys that the server has. It is the only counter that may fall.
	 */
	String KEYS = "keys";

	String url();

	/**
	 * Remove what earlier contenders have left. Mostly that does not matter, because each
	 * has names of its own.
	 */
	default void clear() {
	}

	/**
	 * Return what the server has done so far, nothing if it does not count.
	 */
	default Map<String, Long> counters() {
		return Map.of();
	}

	@Override
	void close();

	static Server start(Backend backend) {
		return switch (backend) {
			case JVM -> new NoServer();
			case REDIS -> new RedisServer(RedisTestServer.run());
			case ETCD -> EtcdServer.run();
			case ZOOKEEPER -> ZooKeeperServer.run();
			case POSTGRESQL -> DatabaseServer.postgres();
			case H2 -> DatabaseServer.h2();
			case MARIADB -> DatabaseServer.mariaDb();
			case MEMCACHED -> new MemcachedServer(MemcachedTestServer.run());
		};
	}

}
