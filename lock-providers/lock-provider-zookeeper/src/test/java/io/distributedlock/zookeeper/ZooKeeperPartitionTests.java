package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three servers: one is cut off from the others while its clients still reach it.
 */
class ZooKeeperPartitionTests {

	private static final String NODE = ZooKeeperLockProvider.DEFAULT_ROOT + "/k";

	@Test
	void holderOnAFollowerThatIsCutOffHasLostTheLockBeforeTheNextOwnerHasIt() {
		try (Ensemble ensemble = Ensemble.run(60)) {
			ZooKeeperTestServer follower = ensemble.follower();
			try (CuratorFramework near = Servers.connect(follower.address());
					CuratorFramework far = Servers.connect(ensemble.leader().address());
					DefaultLockTemplate first = template(near);
					DefaultLockTemplate second = template(far)) {
				LockHandle handle = first.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT));
				ensemble.cutOff(follower);
				try (LockHandle successor = second.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT))) {
					assertThat(handle.isValid()).as("the first owner, when the second has the lock").isFalse();
					assertThat(successor.fencingToken().orElseThrow())
						.isGreaterThan(handle.fencingToken().orElseThrow());
				}
			}
		}
	}

	@Test
	void waiterOnAFollowerThatIsCutOffLearnsOfTheOutageBeforeThatServerDoes() {
		// more than three minutes
		try (Ensemble ensemble = Ensemble.run(1000)) {
			ZooKeeperTestServer follower = ensemble.follower();
			try (CuratorFramework near = Servers.connect(follower.address());
					CuratorFramework far = Servers.connect(ensemble.leader().address());
					DefaultLockTemplate first = template(near);
					DefaultLockTemplate second = template(far);
					LockHandle handle = second.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT))) {
				CompletableFuture<LockHandle> waiting = first
					.acquireAsync(LockRequest.of("k").withWaitTime(Patience.LIMIT.multipliedBy(2)));
				Patience.await("a waiter").ignoreExceptions().until(() -> near.getChildren().forPath(NODE).size() == 2);
				ensemble.cutOff(follower);
				assertThat(waiting).as("behind %s", handle)
					.failsWithin(Patience.LIMIT)
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class);
			}
		}
	}

	private static DefaultLockTemplate template(CuratorFramework client) {
		return DefaultLockTemplate.builder()
			.provider(new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, Duration.ofSeconds(3)))
			.build();
	}

}
