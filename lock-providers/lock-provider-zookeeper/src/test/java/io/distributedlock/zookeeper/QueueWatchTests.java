package io.distributedlock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.SharedWatch;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.network.TcpProxy.Direction;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueWatch} and for places that rely on it.
 */
class QueueWatchTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LeaseRequest REQUEST = new LeaseRequest("k", LONG, LockType.EXCLUSIVE);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final QueueWatch.Waiter waiter = new QueueWatch.Waiter() {

		@Override
		public void gone(String name) {
			QueueWatchTests.this.told.add("gone " + name);
		}

		@Override
		public void missed() {
			QueueWatchTests.this.told.add("missed");
		}

	};

	private TestingServer server;

	private TcpProxy proxy;

	private CuratorFramework near;

	private CuratorFramework far;

	@BeforeEach
	void start() throws Exception {
		this.server = Servers.run();
		this.proxy = new TcpProxy(this.server.getPort());
		this.near = client(this.server.getPort());
		this.far = client(this.proxy.port());
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
		this.proxy.close();
		this.server.close();
	}

	@Test
	void waitersAreToldWhatHasGone() throws Exception {
		this.near.create().forPath("/parent");
		QueueWatch watch = watch();
		assertThat(watch.begin().get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		assertThat(watch.isActive()).isTrue();
		addWaiter(watch);
		comeAndGo("w-b-0000000002");
		Patience.await().untilAsserted(() -> assertThat(this.told).containsExactly("gone w-b-0000000002"));
		assertThat(watch.hasGone("w-b-0000000002")).isTrue();
	}

	@Test
	void waitersAreToldThatEventsMayHaveBeenMissed() throws Exception {
		this.near.create().forPath("/parent");
		QueueWatch watch = watch();
		assertThat(watch.begin().get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		addWaiter(watch);
		this.proxy.cut();
		Patience.await().atMost(LONG).until(() -> this.told.contains("missed"));
		Patience.await("events of the watch that the client has set again").atMost(LONG).until(() -> {
			comeAndGo("w-c-0000000003");
			return this.told.contains("gone w-c-0000000003");
		});
	}

	@Test
	void watchBeginsAgainInTheNextSession() throws Exception {
		this.near.create().forPath("/parent");
		QueueWatch watch = watch();
		assertThat(watch.begin().get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		addWaiter(watch);
		long before = this.far.getZookeeperClient().getZooKeeper().getSessionId();
		this.far.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		Patience.await()
			.atMost(LONG)
			.ignoreExceptions()
			.until(() -> this.far.blockUntilConnected(1, TimeUnit.SECONDS)
					&& this.far.getZookeeperClient().getZooKeeper().getSessionId() != before);
		assertThat(watch.isActive()).isFalse();
		Patience.await().atMost(LONG).until(() -> watch.begin().get(Patience.SECONDS, TimeUnit.SECONDS));
		comeAndGo("w-d-0000000004");
		Patience.await().atMost(LONG).until(() -> this.told.contains("gone w-d-0000000004"));
	}

	@Test
	void watchWhoseAnswerWasLateIsEndedToo() throws Exception {
		this.near.create().forPath("/parent");
		QueueWatch watch = watch(Duration.ofSeconds(1));
		this.far.blockUntilConnected();
		this.proxy.hold(Direction.REPLIES);
		assertThat(watch.begin().get(Patience.SECONDS, TimeUnit.SECONDS)).isFalse();
		this.proxy.heal();
		Patience.await("events of the watch").until(() -> {
			comeAndGo("w-e-0000000005");
			return watch.hasGone("w-e-0000000005");
		});
		watch.end();
		// the server carries out the commands of a session one after the other
		this.far.checkExists().forPath("/parent");
		assertThat(hears(watch, "w-f-0000000006")).isFalse();
	}

	@Test
	void watchThatIsEndedDuringAnOutageIsEndedAfterIt() throws Exception {
		this.near.create().forPath("/parent");
		QueueWatch watch = watch(Duration.ofSeconds(1));
		Patience.await().until(() -> watch.begin().get(Patience.SECONDS, TimeUnit.SECONDS));
		this.proxy.refuse();
		this.proxy.cut();
		Patience.await().until(() -> !this.far.getZookeeperClient().isConnected());
		watch.end();
		assertThat(watch.begin().get(Patience.SECONDS, TimeUnit.SECONDS)).as("sent after that, and given up after it")
			.isFalse();
		this.proxy.heal();
		Patience.await().until(() -> this.far.getZookeeperClient().isConnected());
		// the client has set its watches again by then
		this.far.checkExists().forPath("/parent");
		AtomicInteger number = new AtomicInteger();
		Patience.await("no events").until(() -> !hears(watch, "w-g-" + number.incrementAndGet()));
	}

	private boolean hears(QueueWatch watch, String name) throws Exception {
		comeAndGo(name);
		CompletableFuture<CuratorEvent> later = new CompletableFuture<>();
		this.far.getChildren().inBackground((client, event) -> later.complete(event)).forPath("/parent");
		assertThat(later).succeedsWithin(Patience.LIMIT);
		return watch.hasGone(name);
	}

	private void comeAndGo(String name) throws Exception {
		this.near.create().forPath("/parent/" + name);
		this.near.delete().forPath("/parent/" + name);
	}

	@Test
	void releaseDuringALostConnectionIsFoundAfterIt() {
		ZooKeeperLockProvider holding = provider(this.near);
		ZooKeeperLockProvider waiting = provider(this.far);
		Lease holder = Objects.requireNonNull(get(holding.tryAcquire(REQUEST)));
		LockQueue.Place place = waiting.enqueue(REQUEST);
		Patience.await().atMost(LONG).until(place::isBehindOthers);
		this.proxy.refuse();
		this.proxy.cut();
		get(holder.release());
		this.proxy.heal();
		get(get(place.granted()).release());
	}

	@Test
	void placeWhoseSessionHasEndedFailsWithoutAPoll() throws Exception {
		Lease holder = Objects.requireNonNull(get(provider(this.near).tryAcquire(REQUEST)));
		ZooKeeperLockProvider waiting = provider(this.far);
		LockQueue.Place first = waiting.enqueue(REQUEST);
		LockQueue.Place place = waiting.enqueue(REQUEST);
		Patience.await().until(() -> first.isBehindOthers() && place.isBehindOthers());
		get(holder.release());
		// as nobody polls, the queue is watched by then
		get(first.granted());
		this.far.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		assertThat(place.granted().toCompletableFuture()).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withMessageContaining("ended with its ZooKeeper session");
	}

	@Test
	void ownerWhoseEventsAreHiddenKeepsTheLockAndIsFollowedAtAPoll() {
		ZooKeeperLockProvider waiting = provider(this.near);
		// the queue is watched already
		Lease first = Objects.requireNonNull(get(waiting.tryAcquire(REQUEST)));
		LockQueue.Place second = waiting.enqueue(REQUEST);
		Patience.await().atMost(LONG).until(second::isBehindOthers);
		get(first.release());
		Lease open = get(second.granted());
		ZooKeeperLockProvider hidden = provider(hiding());
		LockQueue.Place before = hidden.enqueue(REQUEST);
		Patience.await().atMost(LONG).until(before::isBehindOthers);
		LockQueue.Place behind = waiting.enqueue(REQUEST);
		Patience.await().atMost(LONG).until(behind::isBehindOthers);
		get(open.release());
		Lease secret = get(before.granted());
		Patience.await().during(Duration.ofMillis(500)).until(() -> !behind.granted().toCompletableFuture().isDone());
		get(secret.release());
		Patience.await().atMost(LONG).until(() -> {
			behind.lookAgain();
			return behind.granted().toCompletableFuture().isDone();
		});
		get(get(behind.granted()).release());
	}

	private CuratorFramework hiding() {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.sessionTimeoutMs(Servers.SESSION_MILLIS * 4)
			.connectionTimeoutMs(30_000)
			.retryPolicy(new RetryNTimes(3, 100))
			.authorization("digest", "hidden:secret".getBytes(StandardCharsets.UTF_8))
			.aclProvider(new ACLProvider() {

				@Override
				public List<ACL> getDefaultAcl() {
					return Ids.CREATOR_ALL_ACL;
				}

				@Override
				public List<ACL> getAclForPath(String path) {
					return Ids.CREATOR_ALL_ACL;
				}

			})
			.build();
		client.start();
		this.opened.add(client);
		return client;
	}

	private void addWaiter(QueueWatch watch) {
		new SharedWatch.All<String, QueueWatch.Waiter, QueueWatch>((parent) -> watch).add("/parent", this.waiter);
	}

	private QueueWatch watch() {
		return watch(Duration.ofSeconds(10));
	}

	private QueueWatch watch(Duration commandTimeout) {
		Connection connection = new Connection(this.far);
		ZooKeeperCalls calls = new ZooKeeperCalls(this.far, connection, commandTimeout);
		this.opened.add(connection);
		this.opened.add(calls);
		return new QueueWatch(calls, connection, "/parent");
	}

	private ZooKeeperLockProvider provider(CuratorFramework client) {
		ZooKeeperLockProvider provider = new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT,
				Duration.ofSeconds(10));
		this.opened.add(provider);
		return provider;
	}

	private CuratorFramework client(int port) {
		CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:" + port, Servers.SESSION_MILLIS * 4,
				30_000, new RetryNTimes(3, 100));
		client.start();
		this.opened.add(client);
		return client;
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
