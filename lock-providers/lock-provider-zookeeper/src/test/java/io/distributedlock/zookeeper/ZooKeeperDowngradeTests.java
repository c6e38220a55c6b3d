package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.test.server.TcpProxy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A writer that goes on reading while what it asked for before is answered late: that
 * says nothing of the reader's node.
 */
class ZooKeeperDowngradeTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private TestingServer server;

	private TcpProxy proxy;

	private CuratorFramework far;

	private CuratorFramework near;

	@BeforeEach
	void start() throws Exception {
		// ticks that allow sessions of fifteen seconds
		this.server = new TestingServer(new org.apache.curator.test.InstanceSpec(null, -1, -1, -1, true, -1, 2000, -1,
				java.util.Map.of("admin.enableServer", "false")), true);
		this.proxy = new TcpProxy(this.server.getPort());
		this.far = client(this.proxy.port());
		this.near = client(this.server.getPort());
	}

	@AfterEach
	void stop() throws Exception {
		this.far.close();
		this.near.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void lateAnswerToTheWriterDoesNotRemoveTheReader() throws Exception {
		ZooKeeperLockProvider provider = provider(this.far);
		ZooKeeperLockProvider other = provider(this.near);
		Lease writer = get(provider.tryAcquire(request()));
		this.proxy.dropReplies();
		CompletionStage<LeaseTerm> before = writer.renew(LONG);
		TimeUnit.MILLISECONDS.sleep(300);
		CompletionStage<LeaseTerm> downgrade = writer.asReader().orElseThrow().renew(LONG);
		TimeUnit.MILLISECONDS.sleep(300);
		this.proxy.heal();
		LeaseTerm term = get(downgrade);
		long start = System.nanoTime();
		Lease robber = null;
		while (robber == null && System.nanoTime() - start < Duration.ofSeconds(3).toNanos()) {
			robber = get(other.tryAcquire(request()));
		}
		long left = (term != null) ? term.deadlineNanos() - System.nanoTime() : 0;
		assertThat(robber)
			.as("a writer, while the reader was told %s of which %s are left", term, Duration.ofNanos(left))
			.isNull();
	}

	/**
	 * The same with the engine, whose command time-out is shorter than that of the
	 * provider.
	 */
	@Test
	void holderThatGoesOnReadingIsNotRobbedUnnoticed() throws Exception {
		try (DefaultLockTemplate node = node(this.far, Duration.ofMillis(400));
				DefaultLockTemplate other = node(this.near, Duration.ofSeconds(5))) {
			LockHandle writer = node.acquire(LockRequest.of("k").withType(LockType.WRITE));
			LockHandle reader = node.acquire(LockRequest.of("k").withType(LockType.READ));
			// granted are 6 s of a session of 15 s: the first renewal comes after 2 s
			TimeUnit.MILLISECONDS.sleep(1750);
			this.proxy.dropReplies();
			TimeUnit.MILLISECONDS.sleep(400);
			CompletableFuture<Void> left = writer.closeAsync();
			TimeUnit.MILLISECONDS.sleep(350);
			assertThat(reader.isValid()).isTrue();
			this.proxy.heal();
			Optional<LockHandle> robber = CompletableFuture
				.supplyAsync(
						() -> other.tryAcquire(
								LockRequest.of("k").withType(LockType.WRITE).withWaitTime(Duration.ofMillis(2200))),
						(task) -> new Thread(task).start())
				.join();
			boolean valid = reader.isValid();
			assertThat(robber.isPresent() && valid)
				.as("two owners; robbed %s, reader valid %s for %s", robber, valid, reader.remaining())
				.isFalse();
			assertThat(robber).as("the reader's lock is lost, though the session lives").isEmpty();
		}
	}

	private static DefaultLockTemplate node(CuratorFramework client, Duration commandTimeout) {
		return DefaultLockTemplate.builder()
			.provider(provider(client))
			.renewalLeaseTime(LONG)
			.commandTimeout(commandTimeout)
			.build();
	}

	private static ZooKeeperLockProvider provider(CuratorFramework client) {
		return new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, Duration.ofSeconds(10));
	}

	private static LeaseRequest request() {
		return new LeaseRequest("k", LONG, LockType.WRITE);
	}

	private static CuratorFramework client(int port) {
		CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:" + port, Servers.SESSION_MILLIS * 4,
				30_000, new RetryNTimes(3, 100));
		client.start();
		return client;
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

}
