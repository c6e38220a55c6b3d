package io.distributedlock.examples;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class ManyKeysExampleTests extends OnEveryProvider {

	@Test
	void transfersInBothDirectionsDoNotWaitForEachOther() throws Exception {
		Accounts first = node(Accounts.class).getBean(Accounts.class);
		Accounts second = node(Accounts.class).getBean(Accounts.class);
		CompletableFuture<Void> there = CompletableFuture.runAsync(() -> repeat(() -> first.transfer("a", "b", 1)));
		CompletableFuture<Void> back = CompletableFuture.runAsync(() -> repeat(() -> second.transfer("b", "a", 1)));
		CompletableFuture.allOf(there, back).get(60, TimeUnit.SECONDS);
	}

	@Test
	void allOrNone() throws Exception {
		ConfigurableApplicationContext node = node(Accounts.class);
		LockTemplate lockTemplate = locks(node);
		LockHandle other = lockTemplate.acquireAsync(LockRequest.of("b").withName("account")).get();
		LockRequest both = LockRequest.ofAll(List.of("a", "b")).withName("account");
		assertThat(lockTemplate.tryAcquire(both)).isEmpty();
		other.close();
		assertThat(node.getBean(Accounts.class).close(List.of("a", "b", "c"))).isEqualTo(3);
	}

	@Test
	void onlyWhatMattersIsLocked() {
		Accounts accounts = node(Accounts.class).getBean(Accounts.class);
		assertThat(accounts.note("a", 5)).isFalse();
		assertThat(accounts.note("a", 5000)).isTrue();
	}

	private static void repeat(Runnable action) {
		for (int i = 0; i < 20; i++) {
			action.run();
		}
	}

	static class Accounts {

		@DistributedLock(name = "account", key = "#from", waitTime = "30s")
		@DistributedLock(name = "account", key = "#to", waitTime = "30s")
		public void transfer(String from, String to, int amount) {
			LockContext.current().ensureHeld();
		}

		@DistributedLock(name = "account", key = "#ids")
		public int close(List<String> ids) {
			return LockContext.current().parts().size();
		}

		@DistributedLock(name = "account", key = "#id", condition = "#amount > 1000")
		public boolean note(String id, int amount) {
			return LockContext.find().isPresent();
		}

	}

}
