package io.distributedlock.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.common.X509Exception.SSLContextException;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Sessions that end, servers that fail, rights that are too few, and many waiters.
 */
class ZooKeeperEdgeCaseTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private TestingServer server;

	@BeforeEach
	void start() throws Exception {
		this.server = Servers.run();
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
		this.server.close();
	}

	@Test
	void oneReleaseWakesOneWaiterOfMany() {
		ZooKeeperLockProvider provider = patientProvider(patient(this.server.getConnectString()));
		LeaseRequest request = new LeaseRequest("herd", LONG, LockType.EXCLUSIVE);
		Lease holder = Objects.requireNonNull(get(provider.tryAcquire(request)));
		// Curator itself watches the configuration of the ensemble
		long before = watches();
		AtomicInteger granted = new AtomicInteger();
		List<LockQueue.Place> places = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			LockQueue.Place place = provider.enqueue(request);
			Patience.await().until(place::isBehindOthers);
			place.granted().thenAccept((lease) -> granted.incrementAndGet());
			places.add(place);
		}
		Patience.await("one watch for all waiters").until(() -> watches() - before == 1);
		get(holder.release());
		Lease next = get(places.get(0).granted());
		Patience.await().during(Duration.ofMillis(300)).until(() -> granted.get() == 1);
		assertThat(watches() - before).as("the signal does not use up the watch").isEqualTo(1);
		places.get(5).leave();
		get(next.release());
		for (int i = 1; i < places.size(); i++) {
			if (i != 5) {
				get(get(places.get(i).granted()).release());
			}
		}
		// the test may go on before a grant is counted
		Patience.await().untilAtomic(granted, (count) -> assertThat(count).isEqualTo(19));
		Patience.await().until(() -> watches() == before);
	}

	@Test
	void lockPassesFromCallerToCallerWithTokensBelowThatOfTheNextNode() throws Exception {
		// a lock of whose lease less than half is left is not passed on
		TestingServer slow = Servers.run(3000);
		this.opened.add(slow);
		ZooKeeperLockProvider provider = provider(patient(slow.getConnectString()));
		LockRequest request = LockRequest.of("passed").withWaitTime(LONG);
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider)
			.handOverWindow(LONG)
			.build(); DefaultLockTemplate other = template(provider(patient(slow.getConnectString())))) {
			LockHandle first = template.acquire(request);
			// on another thread, as this one would enter it again
			CompletableFuture<LockHandle> next = CompletableFuture.supplyAsync(() -> template.acquireAsync(request))
				.join();
			String owner = get(provider.owners("passed")).get(0).id();
			first.close();
			LockHandle second = get(next);
			assertThat(get(provider.owners("passed"))).singleElement()
				.satisfies((same) -> assertThat(same.id()).isEqualTo(owner))
				.satisfies((same) -> assertThat(same.fencingToken().orElseThrow())
					.isEqualTo(first.fencingToken().orElseThrow() + 15));
			assertThat(second.fencingToken().orElseThrow()).isEqualTo(first.fencingToken().orElseThrow() + 1);
			second.close();
			try (LockHandle later = other.acquire(request)) {
				assertThat(later.fencingToken().orElseThrow() - first.fencingToken().orElseThrow())
					.isGreaterThanOrEqualTo(16);
			}
		}
	}

	@Test
	void nothingIsLeftOfALeaseThatIsReleasedInsideItsGrant() throws Exception {
		CuratorFramework client = patient(this.server.getConnectString());
		Duration lease = Duration.ofSeconds(1);
		AtomicReference<String> path = new AtomicReference<>();
		get(patientProvider(client).enqueue(new LeaseRequest("k", lease, LockType.EXCLUSIVE))
			.granted()
			.thenCompose((granted) -> {
				path.set(granted.toString().replaceAll(".*path=([^,]+),.*", "$1"));
				return granted.release();
			}));
		client.create().forPath(path.get());
		Patience.await().during(lease.multipliedBy(2)).until(() -> client.checkExists().forPath(path.get()) != null);
	}

	@Test
	void holderIsToldThatItsSessionExpired() throws Exception {
		CuratorFramework client = client(this.server.getConnectString());
		try (DefaultLockTemplate template = template(provider(client));
				LockHandle handle = template.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT))) {
			AtomicReference<LockLostException> loss = new AtomicReference<>();
			handle.onLost(loss::set);
			client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
			Patience.await().until(() -> loss.get() != null);
			assertThat(handle.isValid()).isFalse();
			// the client can lock with its next session
			template.acquire(LockRequest.of("another").withWaitTime(Patience.LIMIT)).close();
		}
	}

	/**
	 * A client that could not open a connection tries again when it is asked to, and else
	 * only after the time of a session.
	 */
	@Test
	void eachCallAsksForAConnection() throws Exception {
		AtomicBoolean failing = new AtomicBoolean();
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.sessionTimeoutMs(Servers.LONG_SESSION_MILLIS)
			.retryPolicy(new RetryOneTime(50))
			.zookeeperFactory((address, timeout, watcher, readOnly) -> {
				if (failing.get()) {
					throw new IOException("Too many open files");
				}
				return new ZooKeeper(address, timeout, watcher, readOnly);
			})
			.build();
		client.start();
		this.opened.add(client);
		ZooKeeperLockProvider provider = provider(client);
		get(provider.ping());
		failing.set(true);
		client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		Patience.await().until(() -> !client.getZookeeperClient().isConnected());
		provider.ping();
		failing.set(false);
		Patience.await().until(() -> {
			provider.ping();
			return client.getZookeeperClient().isConnected();
		});
	}

	@Test
	void nodeOfAnEarlierSessionIsNotRenewed() throws Exception {
		CuratorFramework client = client(this.server.getConnectString());
		ZooKeeperLockProvider provider = provider(client);
		Lease lease = Patience.await()
			.ignoreExceptions()
			.until(() -> get(provider.tryAcquire(new LeaseRequest("k", LONG, LockType.EXCLUSIVE))), Objects::nonNull);
		// the client has forgotten its session, and the server still has it
		client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		client.getZookeeperClient().reset();
		Patience.await().ignoreExceptions().until(() -> get(lease.renew(LONG)) == null);
	}

	@Test
	void lockOutlivesAShortInterruption() throws Exception {
		CuratorFramework client = patient(this.server.getConnectString());
		try (DefaultLockTemplate template = template(patientProvider(client))) {
			LockHandle handle = template.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT));
			long session = client.getZookeeperClient().getZooKeeper().getSessionId();
			this.server.restart();
			Patience.await()
				.ignoreExceptions()
				.until(() -> client.getZookeeperClient().isConnected()
						&& client.getZookeeperClient().getZooKeeper().getSessionId() == session);
			// either the holder still has the lock, or it was told that the lock is lost
			DefaultLockTemplate other = template(patientProvider(patient(this.server.getConnectString())));
			this.opened.add(other);
			if (handle.isValid()) {
				assertThat(other.tryAcquire("k")).isEmpty();
			}
			handle.close();
			other.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT)).close();
		}
	}

	@Test
	void explicitLeaseMayBeLongerThanTheSession() {
		CuratorFramework client = client(this.server.getConnectString());
		try (DefaultLockTemplate template = template(provider(client));
				DefaultLockTemplate other = template(provider(client(this.server.getConnectString())))) {
			LockRequest request = LockRequest.of("k").withWaitTime(Patience.LIMIT);
			Duration lease = Duration.ofSeconds(10);
			AtomicReference<LockHandle> handle = new AtomicReference<>(template.acquire(request.withLeaseTime(lease)));
			Patience.await().during(Duration.ofMillis(Servers.SESSION_MILLIS + 500)).until(() -> {
				if (handle.get().isValid()) {
					Optional<LockHandle> taken = other.tryAcquire("k");
					taken.ifPresent(LockHandle::close);
					assertThat(taken.isPresent() && handle.get().isValid()).isFalse();
					return true;
				}
				// the session has ended, as on a busy machine nobody kept it in time
				handle.set(template.acquire(request.withLeaseTime(lease)));
				return false;
			});
			other.acquire(request).close();
			assertThat(handle.get().isValid()).isFalse();
		}
	}

	@Test
	void interruptedWaiterLeavesNoNode() throws Exception {
		CuratorFramework client = patient(this.server.getConnectString());
		try (DefaultLockTemplate holder = template(patientProvider(client));
				DefaultLockTemplate waiter = template(patientProvider(patient(this.server.getConnectString())))) {
			LockHandle handle = holder.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT));
			Thread thread = new Thread(() -> {
				try {
					waiter.acquire(LockRequest.of("k").withWaitTime(LONG)).close();
				}
				catch (RuntimeException ex) {
					Thread.currentThread().interrupt();
				}
			});
			thread.start();
			Patience.await().until(() -> children(client, "/distributed-lock/k") == 2);
			thread.interrupt();
			thread.join();
			Patience.await().until(() -> children(client, "/distributed-lock/k") == 1);
			handle.close();
			Patience.await().until(() -> children(client, "/distributed-lock/k") == 0);
		}
	}

	@Test
	void serverThatIsDownIsUnavailableAndNotContended() throws Exception {
		try (DefaultLockTemplate template = template(provider(client(this.server.getConnectString())))) {
			LockRequest patient = LockRequest.of("k").withWaitTime(Patience.LIMIT).withWaitThroughOutage(true);
			template.acquire(patient).close();
			this.server.stop();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"))
				.withMessageContaining("(%s)".formatted(this.server.getConnectString()));
			this.server.restart();
			template.acquire(patient).close();
		}
	}

	@Test
	void lockSurvivesTheDeathOfAMember() throws Exception {
		List<InstanceSpec> members = Stream.generate(() -> Servers.spec(2000)).limit(3).toList();
		try (TestingCluster cluster = new TestingCluster(members)) {
			cluster.start();
			// two are enough for an election, and the third may believe for ten ticks
			// that it was elected: then there is no majority without one of the others
			Patience.await("members").until(() -> members.stream().allMatch(ZooKeeperEdgeCaseTests::isServing));
			CuratorFramework client = patient(cluster.getConnectString());
			// an election may take longer than the command time-out, and than the default
			// lease
			LockRequest patient = LockRequest.of("k")
				.withLeaseTime(Patience.LIMIT.multipliedBy(3))
				.withWaitTime(Patience.LIMIT)
				.withWaitThroughOutage(true);
			try (DefaultLockTemplate template = template(provider(client));
					LockHandle handle = template.acquire(patient)) {
				cluster.killServer(cluster.findConnectionInstance(client.getZookeeperClient().getZooKeeper()));
				DefaultLockTemplate other = template(provider(client));
				this.opened.add(other);
				other.acquire(patient.withKey("another")).close();
				assertThat(handle.isValid()).isTrue();
				assertThat(other.tryAcquire("k")).isEmpty();
			}
		}
	}

	@Test
	void rightsOnOneNodeAreEnough() throws Exception {
		CuratorFramework admin = patient(this.server.getConnectString());
		admin.create()
			.withACL(List.of(new ACL(Perms.CREATE | Perms.READ | Perms.DELETE, digest("locker:secret"))))
			.forPath("/locks");
		CuratorFramework locker = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.sessionTimeoutMs(Servers.LONG_SESSION_MILLIS)
			.connectionTimeoutMs(30_000)
			.retryPolicy(new RetryOneTime(50))
			.authorization("digest", "locker:secret".getBytes(StandardCharsets.UTF_8))
			.build();
		locker.start();
		this.opened.add(locker);
		try (DefaultLockTemplate template = template(new ZooKeeperLockProvider(locker, "/locks", Patience.LIMIT));
				DefaultLockTemplate other = template(new ZooKeeperLockProvider(locker, "/locks", Patience.LIMIT));
				DefaultLockTemplate stranger = template(new ZooKeeperLockProvider(admin, "/locks", Patience.LIMIT))) {
			LockRequest request = LockRequest.of("k").withWaitTime(Patience.LIMIT);
			LockHandle handle = template.acquire(request);
			CompletableFuture<LockHandle> waiting = other.acquireAsync(request);
			Patience.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
			handle.close();
			get(waiting).close();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> stranger.tryAcquire("l"))
				.withMessageContaining("least rights");
		}
	}

	private static Id digest(String userAndPassword) throws NoSuchAlgorithmException {
		return new Id("digest", DigestAuthenticationProvider.generateDigest(userAndPassword));
	}

	private long watches() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.server.getPort())) {
			socket.getOutputStream().write("wchs".getBytes(StandardCharsets.US_ASCII));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
			return Long.parseLong(answer.substring(answer.lastIndexOf(':') + 1).trim());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int children(CuratorFramework client, String path) throws Exception {
		try {
			return client.getChildren().forPath(path).size();
		}
		catch (KeeperException.NoNodeException ex) {
			return 0;
		}
	}

	private CuratorFramework client(String address) {
		CuratorFramework client = Servers.connect(address);
		this.opened.add(client);
		return client;
	}

	/**
	 * Return a client whose sessions are as long as 20 ticks of three seconds.
	 */
	private static boolean isServing(InstanceSpec member) {
		try {
			return FourLetterWordMain.send4LetterWord("127.0.0.1", member.getPort(), "srvr").contains("Mode: ");
		}
		catch (IOException | SSLContextException ex) {
			return false;
		}
	}

	private CuratorFramework patient(String address) {
		CuratorFramework client = Servers.patient(address);
		this.opened.add(client);
		return client;
	}

	private static ZooKeeperLockProvider provider(CuratorFramework client) {
		return new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, Duration.ofSeconds(3));
	}

	private static ZooKeeperLockProvider patientProvider(CuratorFramework client) {
		return new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, Patience.LIMIT);
	}

	private static DefaultLockTemplate template(ZooKeeperLockProvider provider) {
		// longer than the provider takes, which tells the cause of a failure
		return DefaultLockTemplate.builder().provider(provider).commandTimeout(Patience.LIMIT).build();
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
