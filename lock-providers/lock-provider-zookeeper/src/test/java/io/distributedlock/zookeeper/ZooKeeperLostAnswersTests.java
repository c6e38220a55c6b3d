package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Answers that are lost, or that come after the caller has stopped waiting.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperLostAnswersTests {

	private static final Duration LONG = Duration.ofSeconds(30);

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
		Patience.await("a node whose creation was not answered").until(() -> children(near) == 1);
		this.proxy.heal();
		Lease lease = get(attempt);
		assertThat(lease).as("the lock, which only an earlier node of the same owner has").isNotNull();
		Patience.await("the earlier node is removed").until(() -> children(near) == 1);
		assertThat(get(lease.release())).isTrue();
		Patience.await().until(() -> children(near) == 0);
	}

	@Test
	void nodesOfAnAttemptThatWasGivenUpAreRemovedAsSoonAsTheServerCanBeReached() throws Exception {
		CuratorFramework near = client(this.server.getPort());
		CuratorFramework far = client(this.proxy.port());
		// the first call of a client may take longer than the command time-out
		get(get(provider(far, LONG).tryAcquire(request(LONG))).release());
		ZooKeeperLockProvider provider = provider(far, Duration.ofSeconds(2));
		this.proxy.dropReplies();
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(provider.tryAcquire(request(LONG))))
			.withCauseInstanceOf(BackendException.class);
		Patience.await("a node whose creation was not answered").until(() -> children(near) == 1);
		this.proxy.heal();
		ZooKeeperLockProvider other = provider(near, LONG);
		Lease next = Patience.await().until(() -> get(other.tryAcquire(request(LONG))), Objects::nonNull);
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
		Patience.await("a node whose creation was not answered").until(() -> children(near) == 1);
		place.leave();
		this.proxy.heal();
		Patience.await("the second try has created a node too").until(() -> owners(near) >= 3);
		Patience.await("both nodes are removed").until(() -> children(near) == 0);
	}

	/**
	 * A release that fails is tried again, and each of thousands would otherwise begin as
	 * many removals, which all come when the server is back.
	 */
	@Test
	void releasesThatFailBeginOneRemoval() {
		try (ZooKeeperTestServer counting = ZooKeeperTestServer.run();
				TcpProxy cut = new TcpProxy(counting.port());
				CuratorFramework near = Servers.patient(counting.address());
				CuratorFramework far = Servers.patient("127.0.0.1:" + cut.port())) {
			ZooKeeperLockProvider provider = provider(far, Duration.ofSeconds(1));
			Lease lease = Patience.await()
				.ignoreExceptions()
				.until(() -> get(provider.tryAcquire(request(LONG))), Objects::nonNull);
			cut.refuse();
			cut.cut();
			for (int i = 0; i < 6; i++) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(lease.release()));
			}
			long before = writes(counting);
			cut.heal();
			Patience.await().until(() -> children(near) == 0);
			AtomicLong seen = new AtomicLong();
			Patience.await("the end of all removals")
				.during(Duration.ofMillis(1500))
				.until(() -> seen.getAndSet(writes(counting)) == seen.get());
			assertThat(seen.get() - before).as("the removal, and a second look").isLessThanOrEqualTo(4);
		}
	}

	private static long writes(ZooKeeperTestServer server) {
		return server.ask("srvr")
			.lines()
			.filter((line) -> line.startsWith("Zxid: 0x"))
			.mapToLong((line) -> Long.parseLong(line.substring("Zxid: 0x".length()), 16))
			.findFirst()
			.orElseThrow();
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
			Patience.await("no node of an attempt that has failed")
				.during(Duration.ofSeconds(3))
				.until(() -> near.checkExists().forPath(NODE) == null);
			assertThat(get(provider(far, LONG).tryAcquire(request(LONG)))).isNotNull();
		}
	}

	@Test
	void nothingIsSentForAnAttemptThatWasGivenUp() throws Exception {
		CuratorFramework far = client(this.proxy.port());
		ZooKeeperLockProvider provider = provider(far, LONG);
		get(get(provider.tryAcquire(request(LONG))).release());
		Stat before = far.checkExists().forPath(NODE);
		LeaseRequest late = new LeaseRequest("k", LONG, LockType.EXCLUSIVE, 1, System.nanoTime() - 1);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(provider.tryAcquire(late)))
			.withCauseInstanceOf(BackendException.class);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(provider.enqueue(late).granted()))
			.withCauseInstanceOf(BackendException.class);
		// the server carries out the commands of a session one after the other
		assertThat(far.checkExists().forPath(NODE)).isEqualTo(before);
	}

	@Test
	void attemptWaitsForTheFirstConnection() {
		try (ZooKeeperTestServer late = ZooKeeperTestServer.prepare()) {
			ZooKeeperLockProvider provider = provider(client(late.port()), Patience.LIMIT);
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
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
