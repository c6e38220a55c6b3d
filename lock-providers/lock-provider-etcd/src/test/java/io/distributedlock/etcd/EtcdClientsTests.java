package io.distributedlock.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.network.ProxyConnection;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.network.TcpProxy.Direction;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.LeaseOption;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EtcdClients}.
 */
class EtcdClientsTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	private static final Duration LEASE = Duration.ofSeconds(60);

	private static EtcdTestServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	@BeforeAll
	static void start() {
		server = EtcdTestServer.run();
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void closeAll() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void pausesBetweenTriesToConnectDoNotGrow() throws IOException {
		AtomicInteger attempts = new AtomicInteger();
		try (ServerSocket refusing = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			Thread accepting = new Thread(() -> acceptAndClose(refusing, attempts));
			accepting.start();
			EtcdLockProvider provider = provider(client(refusing.getLocalPort()));
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> get(provider.tryAcquire(request("refused"))))
				.withCauseInstanceOf(BackendException.class);
			// gRPC by itself would make six tries in this time
			Patience.await("tries to connect")
				.untilAtomic(attempts, (count) -> assertThat(count).isGreaterThanOrEqualTo(10));
		}
	}

	@Test
	void connectionOnWhichNothingIsAnsweredIsReplaced() throws IOException {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			EtcdLockProvider provider = provider(client(proxy.port()));
			release(acquire(provider, request("heard")));
			List<ProxyConnection> silent = proxy.connections();
			silent.forEach((connection) -> {
				connection.drop(Direction.REQUESTS);
				connection.drop(Direction.REPLIES);
			});
			release(acquire(provider, request("silent")));
			assertThat(proxy.connections()).as("a new connection").anyMatch((each) -> !silent.contains(each));
		}
	}

	@Test
	void outageNamesItsCauseAndTheAddress() throws IOException {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			EtcdLockProvider provider = provider(client(proxy.port()));
			release(acquire(provider, request("named")));
			proxy.blackHole();
			awaitFailure(provider, "(no answer from /127.0.0.1:%s)".formatted(proxy.port()));
			proxy.refuse();
			proxy.cut();
			awaitFailure(provider, "(Connection refused: /127.0.0.1:%s)".formatted(proxy.port()));
		}
	}

	@Test
	void connectionThatIsNotTakenNamesTheAddress() throws IOException {
		List<Socket> others = new ArrayList<>();
		try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			try {
				while (others.size() < 10) {
					others.add(new Socket());
					others.get(others.size() - 1).connect(full.getLocalSocketAddress(), 200);
				}
			}
			catch (SocketTimeoutException ex) {
				// nobody takes the connections before it
			}
			awaitFailure(provider(client(full.getLocalPort())), "/127.0.0.1:%s)".formatted(full.getLocalPort()));
		}
		finally {
			for (Socket each : others) {
				each.close();
			}
		}
	}

	@Test
	void serverThatTakesConnectionsAndIsSilentNamesTheAddress() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			awaitFailure(provider(client(silent.getLocalPort())),
					"(no answer from ip:///127.0.0.1:%s)".formatted(silent.getLocalPort()));
		}
	}

	@Test
	void nameThatIsUnknownIsToldAsSuch() {
		Client client = EtcdClients.forLocks(Client.builder(), COMMAND_TIMEOUT)
			.endpoints("http://etcd.invalid:2379")
			.build();
		this.opened.add(client);
		awaitFailure(provider(client), "UnresolvedAddressException");
	}

	private static void awaitFailure(EtcdLockProvider provider, String words) {
		Patience.await(words)
			.untilAsserted(
					() -> assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> get(provider.ping()))
						.havingCause()
						.withMessageContaining(words));
	}

	@Test
	void renewalThatWasGivenUpIsNotSentLater() throws IOException {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			EtcdLockProvider provider = provider(client(proxy.port()));
			Lease lease = acquire(provider, request("renewed"));
			proxy.refuse();
			proxy.cut();
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(lease.renew(LEASE)))
				.withCauseInstanceOf(BackendException.class);
			Client near = client(server.port());
			long leaseId = ((EtcdLease) lease).own().lease().id();
			Patience.await("a part of the lease is over").ignoreExceptions().until(() -> rest(near, leaseId) <= 57);
			proxy.heal();
			// with another lease time, as locks of the same share their etcd lease
			release(acquire(provider, new LeaseRequest("another", LEASE.plusSeconds(9), LockType.EXCLUSIVE)));
			assertThat(rest(near, leaseId)).as("seconds until the lease ends").isLessThanOrEqualTo(57);
			release(lease);
		}
	}

	/**
	 * Try until the server was reached.
	 */
	private static Lease acquire(EtcdLockProvider provider, LeaseRequest request) {
		return Patience.await(request.key())
			.ignoreExceptions()
			.until(() -> get(provider.tryAcquire(request)), Objects::nonNull);
	}

	/**
	 * Try until the server was reached.
	 */
	private static void release(Lease lease) {
		Patience.await("release").ignoreExceptions().untilAsserted(() -> assertThat(get(lease.release())).isNotNull());
	}

	private static void acceptAndClose(ServerSocket refusing, AtomicInteger attempts) {
		while (!refusing.isClosed()) {
			try (Socket accepted = refusing.accept()) {
				if (accepted.isConnected()) {
					attempts.incrementAndGet();
				}
			}
			catch (IOException ex) {
				// closed at the end of the test
			}
		}
	}

	private static long rest(Client client, long leaseId) {
		return get(client.getLeaseClient().timeToLive(leaseId, LeaseOption.DEFAULT)).getTTL();
	}

	private static LeaseRequest request(String key) {
		return new LeaseRequest(key, LEASE, LockType.EXCLUSIVE);
	}

	private EtcdLockProvider provider(Client client) {
		EtcdLockProvider provider = new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, COMMAND_TIMEOUT);
		this.opened.add(provider);
		return provider;
	}

	private Client client(int port) {
		Client client = EtcdClients.forLocks(Client.builder(), COMMAND_TIMEOUT)
			// so long that it is not gRPC that finds the silent connection
			.keepaliveTime(Duration.ofMinutes(5))
			.endpoints("http://127.0.0.1:" + port)
			.build();
		this.opened.add(client);
		return client;
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
