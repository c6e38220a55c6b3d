package io.distributedlock.test.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between a client and a server, or between two servers, that makes the network
 * fail: it loses replies, delays or loses all messages, cuts connections and refuses new
 * ones. A fault applies to all connections, or to one of {@link #connections()}, and
 * lasts until {@link #heal()}. Thread-safe.
 * <p>
 * A <em>message</em> is what one read of a socket returns. That is one request or one
 * reply if the client makes one request at a time; requests that are sent together may
 * arrive as one message.
 *
 * @since 0.1
 */
public final class TcpProxy implements AutoCloseable {

	private final int targetPort;

	private final int port;

	private final ReentrantLock lock = new ReentrantLock();

	private final ProxyValve valve = new ProxyValve();

	private final Collection<ProxyConnection> connections = new CopyOnWriteArrayList<>();

	private final Map<Direction, CutPlan> plans = new EnumMap<>(Direction.class);

	private ServerSocket listener;

	/**
	 * Keeps the port for this proxy, without listening, while connections are refused.
	 */
	private @Nullable Socket placeholder;

	private boolean closed;

	/**
	 * Start a proxy on a free loopback port.
	 * @param targetPort the port of the server on the loopback interface
	 */
	public TcpProxy(int targetPort) {
		this(0, targetPort);
	}

	/**
	 * Start a proxy on a given loopback port, for servers that must know each other's
	 * ports before they start.
	 * @param port the port that clients connect to, 0 for a free one
	 * @param targetPort the port of the server on the loopback interface; the server may
	 * start later
	 */
	public TcpProxy(int port, int targetPort) {
		this.targetPort = targetPort;
		this.listener = listen(port);
		this.port = this.listener.getLocalPort();
		startAccepting(this.listener);
	}

	/**
	 * Return the port that clients connect to.
	 * @return the port on the loopback interface
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Return the connections that are open.
	 * @return the connections, the oldest first
	 */
	public List<ProxyConnection> connections() {
		return List.copyOf(this.connections);
	}

	/**
	 * Drop all messages of a direction. The connections stay open.
	 * @param direction the direction
	 */
	public void drop(Direction direction) {
		this.valve.drop(direction);
	}

	/**
	 * Let requests through and drop the replies.
	 */
	public void dropReplies() {
		drop(Direction.REPLIES);
	}

	/**
	 * Drop all messages in both directions. The connections stay open, and if one side
	 * closes a connection the other side does not notice.
	 */
	public void blackHole() {
		drop(Direction.REQUESTS);
		drop(Direction.REPLIES);
	}

	/**
	 * Hold back the messages of a direction. They arrive late, at {@link #heal()}, as TCP
	 * delivers them after a network partition.
	 * @param direction the direction
	 */
	public void hold(Direction direction) {
		this.valve.hold(direction);
	}

	/**
	 * Hold back all messages in both directions until {@link #heal()}.
	 */
	public void hold() {
		hold(Direction.REQUESTS);
		hold(Direction.REPLIES);
	}

	/**
	 * Delay each message of a direction.
	 * @param direction the direction
	 * @param delay the shortest delay, zero for none
	 */
	public void delay(Direction direction, Duration delay) {
		this.valve.delay(direction, delay);
	}

	/**
	 * Let some messages of a direction through, then lose each of the next ones together
	 * with its connection, which is closed on both sides. If a reply is lost the server
	 * has carried out the request, but the client does not know. If a request is lost the
	 * server does not know of it. Replaces an earlier plan for the direction.
	 * @param direction the direction
	 * @param passed how many messages get through before, of all connections together
	 * @param lost how many messages are lost after these
	 */
	public void cutAt(Direction direction, int passed, int lost) {
		plan(direction, new CutPlan(passed, lost, false));
	}

	/**
	 * Let some messages of a direction through, then drop all messages in both directions
	 * as {@link #blackHole()} does. Replaces an earlier plan for the direction.
	 * @param direction the direction in which messages are counted
	 * @param passed how many messages get through, of all connections together
	 */
	public void blackHoleAt(Direction direction, int passed) {
		plan(direction, new CutPlan(passed, 1, true));
	}

	/**
	 * Return whether a planned loss has not happened yet.
	 * @return {@code true} if fewer messages have been lost than {@link #cutAt} or
	 * {@link #blackHoleAt} planned
	 */
	public boolean isLossPending() {
		this.lock.lock();
		try {
			return this.plans.values().stream().anyMatch(CutPlan::isPending);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Refuse new connections, like a port on which no server listens. Open connections
	 * stay open.
	 */
	public void refuse() {
		this.lock.lock();
		try {
			if (this.placeholder == null && !this.closed) {
				close(this.listener);
				// the port stays in use until the accepting thread has closed it
				this.placeholder = Patience.await("port " + this.port)
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.ignoreExceptionsInstanceOf(BindException.class)
					.until(() -> reserve(this.port), (reserved) -> true);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * End all faults. Connections that have lost messages are cut, because the rest of
	 * their streams would make no sense.
	 */
	public void heal() {
		this.lock.lock();
		try {
			this.plans.clear();
			if (this.placeholder != null && !this.closed) {
				this.listener = listen(this.port);
				startAccepting(this.listener);
				close(this.placeholder);
				this.placeholder = null;
			}
		}
		finally {
			this.lock.unlock();
		}
		this.valve.open();
		this.connections.forEach(ProxyConnection::heal);
	}

	/**
	 * Cut all connections. New ones are accepted.
	 */
	public void cut() {
		this.connections.forEach(ProxyConnection::cut);
	}

	@Override
	public void close() {
		this.lock.lock();
		try {
			this.closed = true;
			close(this.listener);
			if (this.placeholder != null) {
				close(this.placeholder);
			}
		}
		finally {
			this.lock.unlock();
		}
		cut();
	}

	ProxyValve valve() {
		return this.valve;
	}

	/**
	 * Count a message and carry out the plan for it.
	 * @return whether the connection stays open
	 */
	boolean admit(ProxyConnection connection, Direction direction) {
		CutPlan plan;
		this.lock.lock();
		try {
			plan = this.plans.get(direction);
			if (plan == null || !plan.next()) {
				return true;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (plan.silently) {
			blackHole();
			return true;
		}
		connection.cut();
		return false;
	}

	void forget(ProxyConnection connection) {
		this.connections.remove(connection);
	}

	static void close(AutoCloseable socket) {
		try {
			socket.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("The proxy could not close a socket", ex);
		}
	}

	static void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	private void plan(Direction direction, CutPlan plan) {
		this.lock.lock();
		try {
			this.plans.put(direction, plan);
		}
		finally {
			this.lock.unlock();
		}
	}

	private static ServerSocket listen(int port) {
		try {
			ServerSocket socket = new ServerSocket();
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
			return socket;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Socket reserve(int port) throws IOException {
		Socket socket = new Socket();
		socket.setReuseAddress(true);
		socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
		return socket;
	}

	private void startAccepting(ServerSocket socket) {
		start("proxy-accept", () -> {
			while (!socket.isClosed()) {
				try {
					accept(socket.accept());
				}
				catch (IOException ex) {
					// the listener was closed or the client is gone: accept the next one
				}
			}
		});
	}

	private void accept(Socket client) throws IOException {
		Socket server;
		try {
			server = new Socket(InetAddress.getLoopbackAddress(), this.targetPort);
		}
		catch (IOException ex) {
			// the server is down, so the client's connection ends
			close(client);
			return;
		}
		ProxyConnection connection = new ProxyConnection(this, client, server);
		this.connections.add(connection);
		connection.start();
		if (isClosed()) {
			connection.cut();
		}
	}

	private boolean isClosed() {
		this.lock.lock();
		try {
			return this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The direction of a message.
	 */
	public enum Direction {

		/**
		 * From the side that connects to the side that listens.
		 */
		REQUESTS,

		/**
		 * From the side that listens to the side that connects.
		 */
		REPLIES

	}

	private static final class CutPlan {

		private final boolean silently;

		private int toPass;

		private int toLose;

		private CutPlan(int toPass, int toLose, boolean silently) {
			this.toPass = toPass;
			this.toLose = toLose;
			this.silently = silently;
		}

		private boolean isPending() {
			return this.toLose > 0;
		}

		/**
		 * Count a message and return whether it must be lost.
		 */
		private boolean next() {
			if (this.toPass > 0) {
				this.toPass--;
				return false;
			}
			if (this.toLose > 0) {
				this.toLose--;
				return true;
			}
			return false;
		}

	}

}
