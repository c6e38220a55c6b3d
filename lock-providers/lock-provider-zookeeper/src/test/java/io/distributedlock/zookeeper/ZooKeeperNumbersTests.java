package io.distributedlock.zookeeper;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The numbers that ZooKeeper gives to nodes, up to the last one.
 */
class ZooKeeperNumbersTests {

	private static final LeaseRequest REQUEST = new LeaseRequest("k", Duration.ofSeconds(30), LockType.EXCLUSIVE);

	@Test
	void lockWhoseNumbersAreUsedUpIsRefusedAndNotGrantedTwice(@TempDir Path folder) throws Exception {
		ZooKeeperServer server = new ZooKeeperServer(folder.toFile(), folder.toFile(), Servers.TICK_MILLIS);
		server.setMaxSessionTimeout(Servers.LONG_SESSION_MILLIS);
		ServerCnxnFactory listener = ServerCnxnFactory.createFactory(0, 10);
		listener.startup(server);
		try (CuratorFramework client = Servers.patient("127.0.0.1:" + listener.getLocalPort());
				ZooKeeperLockProvider provider = new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT,
						Duration.ofSeconds(10))) {
			get(acquire(provider).release());
			server.getZKDatabase()
				.getDataTree()
				.setCversionPzxid(ZooKeeperLockProvider.DEFAULT_ROOT + "/k", Integer.MAX_VALUE - 1, -1);
			Lease last = get(provider.enqueue(REQUEST).granted());
			assertThat(get(provider.tryAcquire(REQUEST))).as("behind the holder of the last number").isNull();
			assertThatNoMoreNumbers(provider);
			get(last.release());
			for (int i = 0; i < 3; i++) {
				assertThatNoMoreNumbers(provider);
			}
			get(acquire(provider).release());
			assertThat(get(provider.enqueue(REQUEST).granted())).as("after a call that did not wait").isNotNull();
		}
		finally {
			listener.shutdown();
		}
	}

	@Test
	void nodesAreInTheOrderOfTheirNumbers() {
		List<QueueNode> all = QueueNode
			.of(List.of("w-a-0000000007", "r-b-0000000003", "w-c-0000000009", "r-d-0000000008", "config", "w-x"));
		assertThat(all).extracting(QueueNode::number).containsExactlyInAnyOrder(7, 3, 9, 8);
		assertThat(before(all, 3)).isEmpty();
		assertThat(before(all, 7)).containsExactly("r-b-0000000003");
		assertThat(before(all, 8)).as("a reader waits for writers").containsExactly("w-a-0000000007");
		assertThat(before(all, 9)).containsExactly("w-a-0000000007", "r-b-0000000003", "r-d-0000000008");
	}

	@Test
	void nodeThatAnOwnerMadeTwiceDoesNotMakeItWaitForItself() {
		List<QueueNode> all = QueueNode.of(List.of("w-a-0000000001", "w-b-0000000002", "w-a-0000000003"));
		assertThat(before(all, 3)).containsExactly("w-b-0000000002");
		assertThat(all.stream().filter(all.get(2)::isTwinOf)).containsExactly(all.get(0));
	}

	@Test
	void numbersBeyondTheLastOneAreKnown() {
		List<QueueNode> all = QueueNode.of(List.of("w-a--2147483648", "w-b-2147483647", "w-c-2147483646"));
		assertThat(all).extracting(QueueNode::isBeyondTheLastNumber).containsExactly(true, true, false);
		assertThat(before(all, Integer.MAX_VALUE - 1)).isEmpty();
		assertThat(before(all, Integer.MIN_VALUE)).containsExactly("w-b-2147483647", "w-c-2147483646");
	}

	private static List<String> before(List<QueueNode> all, int number) {
		QueueNode self = all.stream().filter((each) -> each.number() == number).findFirst().orElseThrow();
		return self.before(all).stream().map(QueueNode::name).toList();
	}

	private static void assertThatNoMoreNumbers(ZooKeeperLockProvider provider) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(provider.enqueue(REQUEST).granted()))
			.havingCause()
			.isInstanceOf(BackendException.class)
			.withMessageContaining("no more numbers for the node /distributed-lock/k");
	}

	private static Lease acquire(ZooKeeperLockProvider provider) {
		return Objects.requireNonNull(get(provider.tryAcquire(REQUEST)));
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
