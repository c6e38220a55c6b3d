package io.distributedlock.examples;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.patience.Patience.await;

class ListenersExampleTests extends OnEveryProvider {

	@Test
	void listenerIsToldOfContention() {
		ConfigurableApplicationContext node = node(ContentionCount.class);
		LockTemplate lockTemplate = locks(node);
		LockRequest request = LockRequest.of("k").withName("orders");
		try (LockHandle held = lockTemplate.acquire(request)) {
			assertThat(CompletableFuture.supplyAsync(() -> lockTemplate.tryAcquire(request)).join()).isEmpty();
			assertThat(held.isValid()).isTrue();
		}
		await().until(() -> node.getBean(ContentionCount.class).refused("orders") == 1);
	}

}
