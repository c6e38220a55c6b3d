package io.distributedlock.benchmarks.contention.server;

import io.distributedlock.test.server.MemcachedTestServer;

/**
 * A Memcached server.
 *
 * @param memcached the server
 */
record MemcachedServer(MemcachedTestServer memcached) implements Server {

	@Override
	public String url() {
		return "127.0.0.1:" + this.memcached.port();
	}

	@Override
	public void clear() {
		this.memcached.command("flush_all");
	}

	@Override
	public void close() {
		this.memcached.close();
	}

}
