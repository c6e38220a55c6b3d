package io.distributedlock.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;

/**
 * Tells leases that their session has ended. A connection that is only suspended is no
 * loss: the session may live, and the local deadline says how long that may be relied on.
 */
final class Sessions implements AutoCloseable {

	private final Set<ZooKeeperLease> leases = ConcurrentHashMap.newKeySet();

	private final CuratorFramework client;

	private final ConnectionStateListener listener = (sender, state) -> onState(state);

	Sessions(CuratorFramework client) {
		this.client = client;
		client.getConnectionStateListenable().addListener(this.listener);
	}

	void add(ZooKeeperLease lease) {
		this.leases.add(lease);
	}

	void remove(ZooKeeperLease lease) {
		this.leases.remove(lease);
	}

	/**
	 * Return whether a node is that of the session which this client has now. One of an
	 * earlier session may still be there, and nobody keeps it alive.
	 */
	boolean isCurrent(long session) {
		try {
			return this.client.getZookeeperClient().getZooKeeper().getSessionId() == session;
		}
		// Curator declares no other
		catch (Exception ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.client.getConnectionStateListenable().removeListener(this.listener);
	}

	private void onState(ConnectionState state) {
		if (state == ConnectionState.LOST) {
			this.leases.forEach((lease) -> lease.lose("the ZooKeeper session has expired"));
		}
		else if (state == ConnectionState.RECONNECTED) {
			this.leases.stream()
				.filter((lease) -> !isCurrent(lease.session()))
				.forEach((lease) -> lease.lose("the ZooKeeper session is another one"));
		}
	}

}
