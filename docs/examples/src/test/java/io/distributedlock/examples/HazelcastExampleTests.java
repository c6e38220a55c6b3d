package io.distributedlock.examples;

import java.time.Duration;
import java.util.stream.IntStream;

import com.hazelcast.core.HazelcastInstance;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.ServerProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page about a provider of one's own says beyond the kit.
 */
class HazelcastExampleTests {

	private final String address = "127.0.0.1:" + ServerProcess.freePort();

	private HazelcastInstance first;

	private HazelcastInstance second;

	@BeforeEach
	void startMembers() {
		this.first = HazelcastMembers.start(this.address, this.address);
		this.second = HazelcastMembers.start("127.0.0.1:" + ServerProcess.freePort(), this.address);
	}

	@AfterEach
	void stopMembers() {
		this.second.getLifecycleService().terminate();
		this.first.getLifecycleService().terminate();
	}

	@Test
	void beanIsTheProvider() {
		application(this.first).run((one) -> application(this.second).run((other) -> {
			try (LockHandle handle = one.getBean(LockTemplate.class).acquire("k")) {
				assertThat(handle.provider()).isEqualTo("hazelcast");
				assertThat(other.getBean(LockTemplate.class).tryAcquire("k")).isEmpty();
			}
			other.getBean(LockTemplate.class).acquire("k").close();
		}));
	}

	/**
	 * The backup has what has expired for longer than the member that it replaces.
	 */
	@Test
	void ownerAfterAnExpiredOneOutlivesTheMemberWithTheKey() {
		Patience.await("backups").until(() -> this.first.getPartitionService().isClusterSafe());
		String key = IntStream.iterate(0, (i) -> i + 1).mapToObj(Integer::toString).filter((each) -> {
			return this.first.getPartitionService()
				.getPartition(each)
				.getOwner()
				.equals(this.second.getCluster().getLocalMember());
		}).findFirst().orElseThrow();
		HazelcastLockProvider provider = new HazelcastLockProvider(this.first);
		attempt(provider, key, Duration.ofMillis(1));
		Lease lease = Patience.await("expiry")
			.pollInterval(Duration.ofMillis(1))
			.until(() -> attempt(provider, key, Duration.ofMinutes(5)), (each) -> each != null);
		this.second.getLifecycleService().terminate();
		assertThat(attempt(provider, key, Duration.ofMinutes(5))).isNull();
		assertThat(lease.renew(Duration.ofMinutes(5))).succeedsWithin(Patience.LIMIT).isNotNull();
		provider.close();
	}

	private static Lease attempt(HazelcastLockProvider provider, String key, Duration leaseTime) {
		return provider.tryAcquire(new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE)).toCompletableFuture().join();
	}

	private static ApplicationContextRunner application(HazelcastInstance member) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withUserConfiguration(HazelcastLocks.class)
			.withBean("hazelcast", HazelcastInstance.class, () -> member, (bean) -> bean.setDestroyMethodName(""))
			.withPropertyValues("lock.provider=hazelcast", "lock.command-timeout=30s");
	}

}
