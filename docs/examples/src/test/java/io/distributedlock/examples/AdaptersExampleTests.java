package io.distributedlock.examples;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.spring.integration.LockTemplateLockRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class AdaptersExampleTests extends OnEveryProvider {

	@Test
	void leaderElectionOfSpringIntegration() {
		ConfigurableApplicationContext first = node(Integration.class);
		LockRegistryLeaderInitiator leader = first.getBean(LockRegistryLeaderInitiator.class);
		Awaitility.await().until(() -> leader.getContext().isLeader());
		ConfigurableApplicationContext second = node(Integration.class);
		LockRegistryLeaderInitiator next = second.getBean(LockRegistryLeaderInitiator.class);
		Awaitility.await().pollDelay(300, TimeUnit.MILLISECONDS).until(() -> !next.getContext().isLeader());
		first.close();
		Awaitility.await().until(() -> next.getContext().isLeader());
	}

	@Test
	void lockRegistry() throws Exception {
		ConfigurableApplicationContext node = node(Integration.class);
		LockTemplateLockRegistry registry = node.getBean(LockTemplateLockRegistry.class);
		DistributedLock lock = registry.obtain("file.csv");
		assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofSeconds(5))).isTrue();
		registry.renewLock("file.csv", Duration.ofMinutes(1));
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
		LockTemplate lockTemplate = locks(node());
		Lock lock = lockTemplate.asLock(LockRequest.of("stock"));
		lock.lock();
		try {
			assertThat(CompletableFuture.supplyAsync(lock::tryLock).join()).isFalse();
		}
		finally {
			lock.unlock();
		}
	}

	static class Integration {

		@Bean
		LockTemplateLockRegistry lockRegistry(LockTemplate lockTemplate) {
			return new LockTemplateLockRegistry(lockTemplate, LockRequest.of("integration"));
		}

		@Bean
		LockRegistryLeaderInitiator leaderInitiator(LockTemplateLockRegistry lockRegistry) {
			Candidate candidate = new DefaultCandidate("node", "cluster");
			LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(lockRegistry, candidate);
			initiator.setBusyWaitMillis(50);
			return initiator;
		}

	}

}
