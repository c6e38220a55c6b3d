package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * Follows the client's connection and its session, and tells the leases when the session
 * has ended. A connection that is only suspended is no loss: the session may live, and
 * the local deadline says how long a holder may rely on that. Remembers the last write
 * that has proved the session.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class Connection implements AutoCloseable {

	private final Set<ZooKeeperLease> leases = ConcurrentHashMap.newKeySet();

	private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

	private final CuratorFramework client;

	private final AtomicReference<@Nullable Proof> proof = new AtomicReference<>();

	private final ConnectionStateListener listener = (sender, state) -> onState(state);

	Connection(CuratorFramework client) {
		this.client = client;
		client.getConnectionStateListenable().addListener(this.listener);
	}

	/**
	 * Tell a lease when its session ends, until it is removed.
	 */
	void add(ZooKeeperLease lease) {
		this.leases.add(lease);
	}

	void remove(ZooKeeperLease lease) {
		this.leases.remove(lease);
	}

	/**
	 * Send a command as soon as there is a connection, unless {@link #forget} is called
	 * before. Curator would also keep a command until then, but it would send it even if
	 * nobody waits for the answer any more.
	 */
	void whenConnected(Runnable sending) {
		if (canSend()) {
			sending.run();
			return;
		}
		this.waiting.add(sending);
		// a client that could not open a connection tries again when it is asked
		session();
		// it may be connected, or closed, meanwhile
		if (canSend()) {
			sendWaiting();
		}
	}

	void forget(Runnable sending) {
		this.waiting.remove(sending);
	}

	/**
	 * Return whether a session is the one that this client has now. The node of an
	 * earlier session may still be there, but the client no longer renews that session.
	 */
	boolean isCurrent(long session) {
		return session != 0 && session() == session;
	}

	/**
	 * Return the session that this client has now, zero if it has none.
	 */
	long session() {
		try {
			return this.client.getZookeeperClient().getZooKeeper().getSessionId();
		}
		// Curator declares no narrower type
		catch (Exception ex) {
			return 0;
		}
	}

	/**
	 * Note that a majority has accepted a write of a session.
	 * @param sentAt the instant before the write was sent
	 */
	void proved(long provedSession, long sentAt) {
		this.proof.accumulateAndGet(new Proof(provedSession, sentAt),
				(known, next) -> (known != null && known.session == next.session && known.sentAt - next.sentAt > 0)
						? known : next);
	}

	/**
	 * Return the instant before the last write that has proved a session, if that is not
	 * long ago.
	 * @return the instant, {@code null} if there is none so late
	 */
	@Nullable Long provedWithin(long provedSession, Duration time) {
		Proof last = this.proof.get();
		if (last == null || last.session != provedSession || System.nanoTime() - last.sentAt > time.toNanos()) {
			return null;
		}
		return last.sentAt;
	}

	@Override
	public void close() {
		this.client.getConnectionStateListenable().removeListener(this.listener);
		this.waiting.clear();
	}

	/**
	 * Return whether there is a connection, or nobody will make one: a client that is
	 * closed, or not started, fails when it is asked to send.
	 */
	private boolean canSend() {
		return this.client.getZookeeperClient().isConnected()
				|| this.client.getState() != CuratorFrameworkState.STARTED;
	}

	private void sendWaiting() {
		// two threads may be here together: only the one that removes a command sends it
		List.copyOf(this.waiting).stream().filter(this.waiting::remove).forEach(Runnable::run);
	}

	private void onState(ConnectionState state) {
		if (state == ConnectionState.LOST) {
			this.leases.forEach((lease) -> lease.lose("the ZooKeeper session has expired"));
		}
		else if (state.isConnected()) {
			this.leases.stream()
				.filter((lease) -> !isCurrent(lease.session()))
				.forEach((lease) -> lease.lose("the client has another ZooKeeper session now"));
			sendWaiting();
		}
	}

	/**
	 * A write that a majority has accepted.
	 *
	 * @param session the session that has made it
	 * @param sentAt the instant before it was sent
	 */
	private record Proof(long session, long sentAt) {
	}

}
