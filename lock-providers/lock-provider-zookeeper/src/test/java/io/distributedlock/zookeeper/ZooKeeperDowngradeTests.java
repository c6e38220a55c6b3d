package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A writer that is downgraded while an earlier command of it is answered late: that
 * answer is about the writer's node, and must not end the reader's lease.
 */
class ZooKeeperDowngradeTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private TestingServer server;

	private TcpProxy proxy;

	private CuratorFramework far;

	private CuratorFramework near;

	@BeforeEach
	void start() throws Exception {
		// ZooKeeper allows sessions of up to twenty ticks: fifteen seconds need long ones
		this.server = Servers.run(2000);
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
		CompletableFuture<LeaseTerm> before = writer.renew(LONG).toCompletableFuture();
		Patience.await().during(Duration.ofMillis(300)).until(() -> !before.isDone());
		Lease reader = writer.asReader().orElseThrow();
		CompletableFuture<LeaseTerm> downgrade = reader.renew(LONG).toCompletableFuture();
		Patience.await().during(Duration.ofMillis(300)).until(() -> !downgrade.isDone());
		this.proxy.heal();
		assertThat(get(downgrade)).isNotNull();
		assertThat(get(before)).as("the late answer to the writer's renewal").isNull();
		Patience.await("the reader's node stays")
			.during(Duration.ofSeconds(2))
			.until(() -> get(other.tryAcquire(request())) == null);
		assertThat(get(reader.renew(LONG))).isNotNull();
		assertThat(get(reader.release())).isTrue();
		assertThat(get(other.tryAcquire(request()))).isNotNull();
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
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
