package io.distributedlock.zookeeper;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three servers: one is cut off from the others while its clients still reach it.
 */
class ZooKeeperPartitionTests {

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

	private static DefaultLockTemplate template(CuratorFramework client) {
		return DefaultLockTemplate.builder()
			.provider(new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, Duration.ofSeconds(3)))
			.build();
	}

}
