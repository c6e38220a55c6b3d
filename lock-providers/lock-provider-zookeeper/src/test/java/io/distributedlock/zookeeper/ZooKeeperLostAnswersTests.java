package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.network.TcpProxy;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Answers that are lost, or that come after the caller has stopped waiting.
 */
class ZooKeeperLostAnswersTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String NODE = ZooKeeperLockProvider.DEFAULT_ROOT + "/k";

	private final List<AutoCloseable> opened = new ArrayList<>();

	private TestingServer server;

	private TcpProxy proxy;

	@BeforeEach
	void start() throws Exception {
		this.server = Servers.run();
		this.proxy = new TcpProxy(this.server.getPort());
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
	void nodeWhoseCreationAnswerWasLostIsRemovedAndBlocksNobody() throws Exception {
		CuratorFramework near = client(this.server.getPort());
		ZooKeeperLockProvider provider = provider(client(this.proxy.port()), LONG);
		get(get(provider.tryAcquire(request(LONG))).release());
		this.proxy.dropReplies();
		CompletionStage<Lease> attempt = provider.tryAcquire(request(LONG));
		Awaitility.await("a node whose creation was not answered").atMost(PATIENCE).until(() -> children(near) == 1);
		this.proxy.heal();
		Lease lease = get(attempt);
		assertThat(lease).as("the lock, which only an earlier node of the same owner has").isNotNull();
		Awaitility.await("the earlier node is removed").atMost(PATIENCE).until(() -> children(near) == 1);
		assertThat(get(lease.release())).isTrue();
		Awaitility.await().atMost(PATIENCE).until(() -> children(near) == 0);
	}

	@Test
	void nodesOfAnAttemptThatWasGivenUpAreRemovedAsSoonAsTheServerCanBeReached() throws Exception {
		CuratorFramework near = client(this.server.getPort());
		ZooKeeperLockProvider provider = provider(client(this.proxy.port()), Duration.ofMillis(500));
		get(get(provider.tryAcquire(request(LONG))).release());
		this.proxy.dropReplies();
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(provider.tryAcquire(request(LONG))))
			.withCauseInstanceOf(BackendException.class);
		assertThat(children(near)).as("nodes whose creation was not answered").isEqualTo(1);
		this.proxy.heal();
		ZooKeeperLockProvider other = provider(near, LONG);
		Lease next = Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> get(other.tryAcquire(request(LONG))), Objects::nonNull);
		assertThat(children(near)).isEqualTo(1);
		get(next.release());
	}

	@Test
	void nodesOfAPlaceThatWasLeftWhileItsCreationWasRetriedAreRemoved() throws Exception {
		CuratorFramework near = client(this.server.getPort());
		ZooKeeperLockProvider provider = provider(client(this.proxy.port()), LONG);
		get(get(provider.tryAcquire(request(LONG))).release());
		this.proxy.dropReplies();
		LockQueue.Place place = provider.enqueue(request(LONG));
		Awaitility.await("a node whose creation was not answered").atMost(PATIENCE).until(() -> children(near) == 1);
		place.leave();
		this.proxy.heal();
		Awaitility.await("the second try has created a node too").atMost(PATIENCE).until(() -> owners(near) == 3);
		Awaitility.await("both nodes are removed").atMost(PATIENCE).until(() -> children(near) == 0);
	}

	@Test
	void nothingIsSentForAnAttemptThatWasGivenUpBeforeThereWasAConnection() {
		try (ZooKeeperTestServer late = ZooKeeperTestServer.prepare()) {
			CuratorFramework far = client(late.port());
			LeaseRequest impatient = new LeaseRequest("k", LONG, LockType.EXCLUSIVE, 1,
					System.nanoTime() + Duration.ofMillis(300).toNanos());
			for (ZooKeeperLockProvider provider : List.of(provider(far, LONG), provider(far, Duration.ofMillis(300)))) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(provider.tryAcquire(impatient)))
					.withCauseInstanceOf(BackendException.class);
			}
			late.start();
			CuratorFramework near = client(late.port());
			Awaitility.await("no node of an attempt that has failed")
				.during(Duration.ofSeconds(3))
				.atMost(PATIENCE)
				.until(() -> near.checkExists().forPath(NODE) == null);
			assertThat(get(provider(far, LONG).tryAcquire(request(LONG)))).isNotNull();
		}
	}

	@Test
	void attemptWaitsForTheFirstConnection() {
		try (ZooKeeperTestServer late = ZooKeeperTestServer.prepare()) {
			ZooKeeperLockProvider provider = provider(client(late.port()), PATIENCE);
			CompletionStage<Lease> attempt = provider.tryAcquire(request(LONG));
			late.start();
			assertThat(get(attempt)).isNotNull();
		}
	}

	/**
	 * Return how many nodes were ever created for the lock.
	 */
	private static int owners(CuratorFramework client) throws Exception {
		Stat stat = client.checkExists().forPath(NODE);
		// one change for each creation and for each deletion
		return (stat.getCversion() + stat.getNumChildren()) / 2;
	}

	private static int children(CuratorFramework client) throws Exception {
		try {
			return client.getChildren().forPath(NODE).size();
		}
		catch (KeeperException.NoNodeException ex) {
			return 0;
		}
	}

	private static LeaseRequest request(Duration leaseTime) {
		return new LeaseRequest("k", leaseTime, LockType.EXCLUSIVE);
	}

	private ZooKeeperLockProvider provider(CuratorFramework client, Duration commandTimeout) {
		ZooKeeperLockProvider provider = new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT,
				commandTimeout);
		this.opened.add(provider);
		return provider;
	}

	private CuratorFramework client(int port) {
		RetryPolicy retries = new RetryNTimes(3, 100);
		CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:" + port, Servers.SESSION_MILLIS * 4,
				30_000, retries);
		client.start();
		this.opened.add(client);
		return client;
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

}
