package io.distributedlock.test.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and a server, to do what networks do: lose replies, lose
 * everything, cut connections. Thread-safe.
 *
 * @since 0.1
 */
public final class TcpProxy implements AutoCloseable {

	private final ServerSocket listener;

	private final int targetPort;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private volatile boolean dropReplies;

	private volatile boolean dropRequests;

	/**
	 * Start a proxy on a free loopback port.
	 * @param targetPort the port of the server on the loopback interface
	 */
	public TcpProxy(int targetPort) {
		this.targetPort = targetPort;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start("proxy-accept", this::accept);
	}

	/**
	 * Return the port that clients connect to.
	 * @return the port on the loopback interface
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Let requests through and swallow what the server answers, until {@link #heal()}.
	 */
	public void dropReplies() {
		this.dropReplies = true;
	}

	/**
	 * Swallow everything in both directions with the connections left open, until
	 * {@link #heal()}.
	 */
	public void blackHole() {
		this.dropRequests = true;
		this.dropReplies = true;
	}

	/**
	 * Let everything through again. Connections on which something was swallowed are cut:
	 * their streams have a hole.
	 */
	public void heal() {
		this.dropRequests = false;
		this.dropReplies = false;
		cut();
	}

	/**
	 * Cut all connections; new ones are accepted.
	 */
	public void cut() {
		this.sockets.forEach(TcpProxy::closeQuietly);
		this.sockets.clear();
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cut();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				this.sockets.add(client);
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.targetPort);
				this.sockets.add(server);
				start("proxy-requests", () -> copy(client, server, true));
				start("proxy-replies", () -> copy(server, client, false));
			}
			catch (IOException ex) {
				// the server is down or the proxy is closing: the client sees its
				// connection end
				cut();
			}
		}
	}

	private void copy(Socket from, Socket to, boolean requests) {
		byte[] buffer = new byte[8192];
		try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
			for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
				if (requests ? !this.dropRequests : !this.dropReplies) {
					out.write(buffer, 0, count);
					out.flush();
				}
			}
		}
		catch (IOException ex) {
			// one side is gone: closing both is all that is to be done
		}
	}

	private static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

}
