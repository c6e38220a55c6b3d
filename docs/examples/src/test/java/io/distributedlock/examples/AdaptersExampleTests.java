package io.distributedlock.examples;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockRequest;
import io.distributedlock.spring.integration.LockTemplateLockRegistry;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class AdaptersExampleTests extends OnEveryProvider {

	@Test
	void leaderElectionOfSpringIntegration() {
		ConfigurableApplicationContext first = node(IntegrationLocks.class);
		LockRegistryLeaderInitiator leader = first.getBean(LockRegistryLeaderInitiator.class);
		Patience.await().until(() -> leader.getContext().isLeader());
		ConfigurableApplicationContext second = node(IntegrationLocks.class);
		LockRegistryLeaderInitiator next = second.getBean(LockRegistryLeaderInitiator.class);
		Patience.await().pollDelay(300, TimeUnit.MILLISECONDS).until(() -> !next.getContext().isLeader());
		first.close();
		Patience.await().until(() -> next.getContext().isLeader());
	}

	@Test
	void lockRegistry() throws Exception {
		ConfigurableApplicationContext node = node(IntegrationLocks.class);
		LockTemplateLockRegistry registry = node.getBean(LockTemplateLockRegistry.class);
		DistributedLock lock = registry.obtain("file.csv");
		assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofMinutes(1))).isTrue();
		registry.renewLock("file.csv", Duration.ofMinutes(2));
		assertThat(lock.tryLock()).as("again on the same thread").isTrue();
		lock.unlock();
		assertThat(CompletableFuture.supplyAsync(() -> registry.obtain("file.csv").tryLock()).join()).isFalse();
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(() -> registry.renewLock("file.csv"))
			.withMessageContaining("not held");
		assertThat(registry.executeLocked("file.csv", Duration.ofSeconds(1), () -> "done")).isEqualTo("done");
	}

	@Test
	void lockForCodeThatKnowsJavaUtilConcurrent() {
		Lock elsewhere = locks(node()).asLock(LockRequest.of("stock"));
		CompletableFuture<Boolean> excluded = new CompletableFuture<>();
		StockCount count = new StockCount(locks(node()),
				() -> excluded.complete(CompletableFuture.supplyAsync(elsewhere::tryLock).join()));
		count.run();
		assertThat(excluded).isCompletedWithValue(false);
		assertThat(elsewhere.tryLock()).isTrue();
		elsewhere.unlock();
	}

}
