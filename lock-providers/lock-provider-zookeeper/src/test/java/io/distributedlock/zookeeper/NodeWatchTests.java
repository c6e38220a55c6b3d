package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.spi.BackendException;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link NodeWatch}: whenever a node may have gone there is a signal, or the
 * next look can watch it.
 */
class NodeWatchTests {

	private static final String NODE = "/before";

	private final AtomicInteger signals = new AtomicInteger();

	private TestingServer server;

	private CuratorFramework client;

	private ZooKeeperCalls calls;

	private NodeWatch watch;

	@BeforeEach
	void start() throws Exception {
		this.server = Servers.run();
		this.client = Servers.connect(this.server.getConnectString());
		this.calls = new ZooKeeperCalls(this.client, new Connection(this.client), Duration.ofSeconds(10));
		this.watch = new NodeWatch(this.calls, this.signals::incrementAndGet);
	}

	@AfterEach
	void stop() throws Exception {
		this.calls.close();
		this.client.close();
		this.server.close();
	}

	@Test
	void nodeThatHasGoneBeforeItIsWatchedSendsASignal() {
		get(this.watch.begin(NODE));
		assertThat(this.signals).hasValue(1);
	}

	@Test
	void nodeThatGoesSendsOneSignalAndCanBeWatchedAgain() throws Exception {
		for (int i = 1; i <= 2; i++) {
			this.client.create().forPath(NODE);
			get(this.watch.begin(NODE));
			get(this.watch.begin(NODE));
			assertThat(this.signals).hasValue(i - 1);
			this.client.delete().forPath(NODE);
			int expected = i;
			Patience.await().until(() -> this.signals.get() == expected);
		}
	}

	@Test
	void watchThatIsRefusedSendsNoSignalAndCanBeginAgain() throws Exception {
		this.client.create().withACL(List.of(new ACL(Perms.ADMIN, Ids.ANYONE_ID_UNSAFE))).forPath(NODE);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(this.watch.begin(NODE)))
			.withCauseInstanceOf(BackendException.class);
		assertThat(this.signals).hasValue(0);
		this.client.setACL().withACL(Ids.OPEN_ACL_UNSAFE).forPath(NODE);
		get(this.watch.begin(NODE));
		this.client.delete().forPath(NODE);
		Patience.await().until(() -> this.signals.get() == 1);
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
