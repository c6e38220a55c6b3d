package io.distributedlock.benchmarks.contention.server;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;

/**
 * An etcd server, and how many entries its log has.
 *
 * @param etcd the server
 * @param client a client that asks for its state
 */
record EtcdServer(EtcdTestServer etcd, Client client) implements Server {

	static EtcdServer run() {
		EtcdTestServer etcd = EtcdTestServer.run();
		return new EtcdServer(etcd, Client.builder().endpoints(etcd.url()).build());
	}

	@Override
	public String url() {
		return this.etcd.url();
	}

	@Override
	public Map<String, Long> counters() {
		return Map.of(WRITES,
				this.client.getMaintenanceClient()
					.statusMember(url())
					.orTimeout(30, TimeUnit.SECONDS)
					.join()
					.getRaftIndex());
	}

	@Override
	public void close() {
		this.client.close();
		this.etcd.close();
	}

}
