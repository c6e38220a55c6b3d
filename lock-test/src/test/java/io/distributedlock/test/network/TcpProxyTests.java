package io.distributedlock.test.network;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.test.network.TcpProxy.Direction;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

class TcpProxyTests {

	private EchoServer server;

	private TcpProxy proxy;

	@BeforeEach
	void start() throws IOException {
		this.server = new EchoServer();
		this.proxy = new TcpProxy(this.server.port());
	}

	@AfterEach
	void stop() throws IOException {
		this.proxy.close();
		this.server.close();
	}

	@Test
	void forwardsMessagesInBothDirections() throws IOException {
		try (Client client = new Client(this.proxy.port())) {
			assertThat(client.ask("a")).isEqualTo("re: a");
			assertThat(client.ask("x".repeat(100_000))).hasSize(100_004);
			assertThat(this.proxy.connections()).hasSize(1);
		}
		Patience.await().until(() -> this.proxy.connections().isEmpty() && this.server.open() == 0);
	}

	@Test
	void requestArrivesThoughItsReplyIsDropped() throws IOException {
		try (Client client = new Client(this.proxy.port()); Client idle = new Client(this.proxy.port())) {
			idle.ask("first");
			this.proxy.dropReplies();
			assertThat(client.isUnanswered("a")).isTrue();
			Patience.await().until(() -> this.server.received().contains("a"));
			this.proxy.heal();
			assertThat(client.isEnded()).as("a connection that has lost a message is cut").isTrue();
			assertThat(idle.ask("b")).as("a connection that has lost nothing stays open").isEqualTo("re: b");
		}
	}

	@Test
	void blackHoleHidesRequestsAndTheEndOfAConnection() throws IOException {
		try (Client client = new Client(this.proxy.port())) {
			client.ask("a");
			this.proxy.blackHole();
			assertThat(client.isUnanswered("b")).isTrue();
		}
		assertThat(this.server.received()).containsExactly("a");
		Patience.await().during(Duration.ofMillis(100)).until(() -> this.server.open() == 1);
		this.proxy.heal();
		Patience.await().until(() -> this.server.open() == 0);
		assertThat(this.server.received()).containsExactly("a");
	}

	@Test
	void heldMessagesArriveWhenTheProxyHeals() throws IOException {
		try (Client client = new Client(this.proxy.port())) {
			client.ask("a");
			this.proxy.hold();
			assertThat(client.isUnanswered("b")).isTrue();
			assertThat(this.server.received()).containsExactly("a");
			this.proxy.heal();
			assertThat(client.read()).isEqualTo("re: b");
			assertThat(client.ask("c")).isEqualTo("re: c");
		}
	}

	@Test
	void holdMayApplyToOneDirection() throws IOException {
		try (Client client = new Client(this.proxy.port())) {
			this.proxy.hold(Direction.REPLIES);
			client.send("a");
			Patience.await().until(() -> this.server.received().contains("a"));
			assertThat(client.hasNothingToRead()).isTrue();
			this.proxy.heal();
			assertThat(client.read()).isEqualTo("re: a");
		}
	}

	@Test
	void messageIsDelayedByAtLeastTheGivenTime() throws IOException {
		try (Client client = new Client(this.proxy.port())) {
			this.proxy.delay(Direction.REQUESTS, Duration.ofMillis(40));
			this.proxy.delay(Direction.REPLIES, Duration.ofMillis(20));
			long start = System.nanoTime();
			assertThat(client.ask("a")).isEqualTo("re: a");
			assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(Duration.ofMillis(60).toNanos());
		}
	}

	@Test
	void plannedReplyIsLostWithItsConnection() throws IOException {
		this.proxy.cutAt(Direction.REPLIES, 1, 2);
		try (Client client = new Client(this.proxy.port()); Client other = new Client(this.proxy.port())) {
			assertThat(client.ask("a")).isEqualTo("re: a");
			assertThatIOException().isThrownBy(() -> client.ask("b"));
			assertThat(this.proxy.isLossPending()).isTrue();
			assertThatIOException().isThrownBy(() -> other.ask("c"));
		}
		assertThat(this.proxy.isLossPending()).isFalse();
		assertThat(this.server.received()).containsExactly("a", "b", "c");
		try (Client again = new Client(this.proxy.port())) {
			assertThat(again.ask("d")).isEqualTo("re: d");
		}
	}

	@Test
	void plannedRequestIsLostWithItsConnection() throws IOException {
		this.proxy.cutAt(Direction.REQUESTS, 1, 1);
		try (Client client = new Client(this.proxy.port())) {
			assertThat(client.ask("a")).isEqualTo("re: a");
			assertThatIOException().isThrownBy(() -> client.ask("b"));
		}
		assertThat(this.server.received()).containsExactly("a");
	}

	@Test
	void plannedBlackHoleDropsAllLaterMessages() throws IOException {
		this.proxy.blackHoleAt(Direction.REPLIES, 1);
		try (Client client = new Client(this.proxy.port()); Client other = new Client(this.proxy.port())) {
			assertThat(client.ask("a")).isEqualTo("re: a");
			assertThat(client.isUnanswered("b")).isTrue();
			assertThat(other.isUnanswered("c")).isTrue();
		}
		Patience.await().until(() -> this.server.received().equals(List.of("a", "b")));
	}

	@Test
	void refusesNewConnectionsOnly() throws IOException {
		try (Client client = new Client(this.proxy.port())) {
			client.ask("a");
			this.proxy.refuse();
			this.proxy.refuse();
			assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Client(this.proxy.port()).close());
			assertThat(client.ask("b")).isEqualTo("re: b");
			this.proxy.heal();
			assertThat(client.ask("c")).isEqualTo("re: c");
		}
		try (Client another = new Client(this.proxy.port())) {
			assertThat(another.ask("d")).isEqualTo("re: d");
		}
	}

	@Test
	void faultMayApplyToOneConnection() throws IOException {
		try (Client first = new Client(this.proxy.port())) {
			first.ask("a");
			ProxyConnection connection = this.proxy.connections().get(0);
			try (Client second = new Client(this.proxy.port())) {
				connection.drop(Direction.REQUESTS);
				assertThat(first.isUnanswered("b")).isTrue();
				assertThat(second.ask("c")).isEqualTo("re: c");
				connection.cut();
				assertThat(first.isEnded()).isTrue();
				assertThat(second.ask("d")).isEqualTo("re: d");
			}
		}
	}

	@Test
	void cutClosesBothSidesAndAcceptsNewConnections() throws IOException {
		try (Client client = new Client(this.proxy.port())) {
			client.ask("a");
			this.proxy.cut();
			assertThat(client.isEnded()).isTrue();
		}
		Patience.await().until(() -> this.server.open() == 0);
		try (Client again = new Client(this.proxy.port())) {
			assertThat(again.ask("b")).isEqualTo("re: b");
		}
	}

	@Test
	void clientConnectionEndsIfTheServerIsDown() throws IOException {
		int port = this.server.port();
		this.server.close();
		// bound without listening, so that no other test's server takes the port
		try (Socket kept = Patience.await()
			.ignoreExceptionsInstanceOf(BindException.class)
			.until(() -> boundTo(port), (socket) -> true); Client client = new Client(this.proxy.port())) {
			assertThat(kept.isConnected()).isFalse();
			assertThat(client.isEnded()).isTrue();
		}
		Patience.await().until(() -> this.proxy.connections().isEmpty());
	}

	private static Socket boundTo(int port) throws IOException {
		Socket socket = new Socket();
		socket.setReuseAddress(true);
		// the accepting thread may not have closed the port yet
		socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
		return socket;
	}

	private static final class Client implements AutoCloseable {

		private final Socket socket;

		private final BufferedReader reader;

		private Client(int port) throws IOException {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.socket.setSoTimeout(20_000);
			this.reader = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
		}

		private void send(String line) throws IOException {
			this.socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
		}

		private String read() throws IOException {
			String line = this.reader.readLine();
			if (line == null) {
				throw new IOException("The connection has ended");
			}
			return line;
		}

		private String ask(String line) throws IOException {
			send(line);
			return read();
		}

		private boolean isEnded() {
			try {
				return this.reader.readLine() == null;
			}
			catch (SocketTimeoutException ex) {
				return false;
			}
			catch (IOException ex) {
				return true;
			}
		}

		private boolean isUnanswered(String line) throws IOException {
			send(line);
			return hasNothingToRead();
		}

		private boolean hasNothingToRead() throws IOException {
			this.socket.setSoTimeout(200);
			try {
				this.reader.readLine();
				return false;
			}
			catch (SocketTimeoutException ex) {
				return true;
			}
			finally {
				this.socket.setSoTimeout(20_000);
			}
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

	/**
	 * Answers each line with {@code re:} and the line.
	 */
	private static final class EchoServer implements AutoCloseable {

		private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

		private final List<String> received = new CopyOnWriteArrayList<>();

		private final List<Socket> sockets = new CopyOnWriteArrayList<>();

		private EchoServer() throws IOException {
			TcpProxy.start("echo-accept", () -> {
				while (!this.listener.isClosed()) {
					try {
						Socket socket = this.listener.accept();
						this.sockets.add(socket);
						TcpProxy.start("echo", () -> serve(socket));
					}
					catch (IOException ex) {
						// closed
					}
				}
			});
		}

		private void serve(Socket socket) {
			try (socket;
					BufferedReader reader = new BufferedReader(
							new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
				for (String line = reader.readLine(); line != null; line = reader.readLine()) {
					this.received.add(line);
					socket.getOutputStream().write(("re: " + line + "\n").getBytes(StandardCharsets.UTF_8));
				}
			}
			catch (IOException ex) {
				// the client has closed the connection
			}
			finally {
				this.sockets.remove(socket);
			}
		}

		private int port() {
			return this.listener.getLocalPort();
		}

		private List<String> received() {
			return List.copyOf(this.received);
		}

		private int open() {
			return this.sockets.size();
		}

		@Override
		public void close() throws IOException {
			this.listener.close();
		}

	}

}
