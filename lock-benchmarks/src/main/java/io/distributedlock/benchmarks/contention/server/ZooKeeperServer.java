package io.distributedlock.benchmarks.contention.server;

import java.io.IOException;
import java.io.UncheckedIOException;

import org.apache.curator.test.TestingServer;

/**
 * A ZooKeeper server in this JVM, which syncs its log to disk.
 *
 * @param zooKeeper the server
 */
record ZooKeeperServer(TestingServer zooKeeper) implements Server {

	static ZooKeeperServer run() {
		try {
			return new ZooKeeperServer(new TestingServer());
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String url() {
		return this.zooKeeper.getConnectString();
	}

	@Override
	public void close() {
		try {
			this.zooKeeper.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
