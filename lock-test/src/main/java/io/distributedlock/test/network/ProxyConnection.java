package io.distributedlock.test.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.distributedlock.test.network.TcpProxy.Direction;

/**
 * One connection through a {@link TcpProxy}. Its faults apply in addition to those of the
 * proxy and end with {@link TcpProxy#heal()}. Thread-safe.
 *
 * @since 0.1
 */
public final class ProxyConnection {

	private static final long NAP_NANOS = 1_000_000;

	private final TcpProxy proxy;

	private final Socket client;

	private final Socket server;

	private final ProxyValve valve = new ProxyValve();

	private volatile boolean incomplete;

	private volatile boolean cut;

	ProxyConnection(TcpProxy proxy, Socket client, Socket server) {
		this.proxy = proxy;
		this.client = client;
		this.server = server;
	}

	/**
	 * Return the port by which the server knows this connection. It is a port of the
	 * proxy, not of the client.
	 * @return the port that the server sees
	 */
	public int port() {
		return this.server.getLocalPort();
	}

	/**
	 * Drop all messages of a direction. The connection stays open.
	 * @param direction the direction
	 */
	public void drop(Direction direction) {
		this.valve.drop(direction);
	}

	/**
	 * Hold back the messages of a direction until {@link TcpProxy#heal()}.
	 * @param direction the direction
	 */
	public void hold(Direction direction) {
		this.valve.hold(direction);
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
	 * Close this connection on both sides.
	 */
	public void cut() {
		this.cut = true;
		this.proxy.forget(this);
		TcpProxy.close(this.client);
		TcpProxy.close(this.server);
	}

	void start() {
		TcpProxy.start("proxy-requests", () -> copy(this.client, this.server, Direction.REQUESTS));
		TcpProxy.start("proxy-replies", () -> copy(this.server, this.client, Direction.REPLIES));
	}

	/**
	 * End the faults of this connection. If it has lost messages it is cut.
	 */
	void heal() {
		this.valve.open();
		if (this.incomplete) {
			cut();
		}
	}

	private void copy(Socket from, Socket to, Direction direction) {
		byte[] buffer = new byte[8192];
		boolean missing = false;
		try (from; to) {
			// otherwise TCP holds a small message until the last one is acknowledged
			to.setTcpNoDelay(true);
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			for (int count = read(in, buffer); count >= 0; count = read(in, buffer)) {
				if (!this.proxy.admit(this, direction)) {
					return;
				}
				sleep(direction);
				nap(() -> isHolding(direction));
				if (isDropping(direction)) {
					missing = true;
					this.incomplete = true;
				}
				else if (!missing) {
					out.write(buffer, 0, count);
				}
				if (missing && !isDropping(direction)) {
					// healed meanwhile: messages are missing before this one
					return;
				}
			}
			// a network that is down does not report the end of a connection either
			nap(() -> isHolding(direction) || isDropping(direction));
		}
		catch (IOException ex) {
			// one side is gone, and both sockets are closed
		}
		finally {
			this.proxy.forget(this);
		}
	}

	private static int read(InputStream in, byte[] buffer) {
		try {
			return in.read(buffer);
		}
		catch (IOException ex) {
			// treat a reset like the end of the stream
			return -1;
		}
	}

	private void sleep(Direction direction) {
		long start = System.nanoTime();
		nap(() -> System.nanoTime() - start < delay(direction).toNanos());
	}

	private Duration delay(Direction direction) {
		return this.proxy.valve().delay(direction).plus(this.valve.delay(direction));
	}

	private boolean isHolding(Direction direction) {
		return this.proxy.valve().isHolding(direction) || this.valve.isHolding(direction);
	}

	private boolean isDropping(Direction direction) {
		return this.proxy.valve().isDropping(direction) || this.valve.isDropping(direction);
	}

	private void nap(BooleanSupplier condition) {
		while (!this.cut && condition.getAsBoolean()) {
			LockSupport.parkNanos(NAP_NANOS);
		}
	}

}
