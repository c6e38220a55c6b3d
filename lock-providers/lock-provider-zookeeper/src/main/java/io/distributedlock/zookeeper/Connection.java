package io.distributedlock.zookeeper;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;

/**
 * What becomes of the client's connection and of its session. A connection that is only
 * suspended is no loss: the session may live, and the local deadline says how long that
 * may be relied on.
 */
final class Connection implements AutoCloseable {

	private final Set<ZooKeeperLease> leases = ConcurrentHashMap.newKeySet();

	private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

	private final CuratorFramework client;

	private final ConnectionStateListener listener = (sender, state) -> onState(state);

	Connection(CuratorFramework client) {
		this.client = client;
		client.getConnectionStateListenable().addListener(this.listener);
	}

	/**
	 * Tell a lease if its session ends.
	 */
	void add(ZooKeeperLease lease) {
		this.leases.add(lease);
	}

	void remove(ZooKeeperLease lease) {
		this.leases.remove(lease);
	}

	/**
	 * Send something as soon as there is a connection, unless it is forgotten before.
	 * Curator would keep it too, but send it though nobody waits for it any more.
	 */
	void whenConnected(Runnable sending) {
		// a client that is closed says so itself
		if (isConnected() || this.client.getState() != CuratorFrameworkState.STARTED) {
			sending.run();
			return;
		}
		boolean first = this.waiting.isEmpty();
		this.waiting.add(sending);
		if (isConnected()) {
			sendWaiting();
		}
		else if (first) {
			askForConnection();
		}
	}

	void forget(Runnable sending) {
		this.waiting.remove(sending);
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
		this.waiting.clear();
	}

	private boolean isConnected() {
		return this.client.getZookeeperClient().isConnected();
	}

	/**
	 * Curator begins with a new connection, where the one that it has comes to nothing,
	 * only when it has something to send. A look at the root is nobody's attempt.
	 */
	private void askForConnection() {
		try {
			this.client.checkExists().inBackground().forPath("/");
		}
		// Curator declares no other
		catch (Exception ex) {
			// closed meanwhile, which what waits finds out when it is sent
			sendWaiting();
		}
	}

	private void sendWaiting() {
		// each once, though two may come here together
		List.copyOf(this.waiting).stream().filter(this.waiting::remove).forEach(Runnable::run);
	}

	private void onState(ConnectionState state) {
		if (state == ConnectionState.LOST) {
			this.leases.forEach((lease) -> lease.lose("the ZooKeeper session has expired"));
		}
		else if (state.isConnected()) {
			this.leases.stream()
				.filter((lease) -> !isCurrent(lease.session()))
				.forEach((lease) -> lease.lose("the ZooKeeper session is another one"));
			sendWaiting();
		}
	}

}
