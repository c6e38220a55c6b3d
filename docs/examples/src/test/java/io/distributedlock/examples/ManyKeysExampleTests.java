package io.distributedlock.examples;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class ManyKeysExampleTests extends OnEveryProvider {

	@Test
	void transfersInBothDirectionsDoNotWaitForEachOther() throws Exception {
		Accounts first = node(Accounts.class, RecordingLedger.class).getBean(Accounts.class);
		Accounts second = node(Accounts.class, RecordingLedger.class).getBean(Accounts.class);
		CompletableFuture<Void> there = CompletableFuture.runAsync(() -> repeat(() -> first.transfer("a", "b", 1)));
		CompletableFuture<Void> back = CompletableFuture.runAsync(() -> repeat(() -> second.transfer("b", "a", 1)));
		CompletableFuture.allOf(there, back).get(Patience.SECONDS, TimeUnit.SECONDS);
	}

	@Test
	void allOrNone() throws Exception {
		ConfigurableApplicationContext node = node(Accounts.class, RecordingLedger.class);
		LockTemplate lockTemplate = locks(node);
		LockHandle other = lockTemplate.acquireAsync(LockRequest.of("b").withName("account")).get();
		LockRequest both = LockRequest.ofAll(List.of("a", "b")).withName("account");
		assertThat(lockTemplate.tryAcquire(both)).isEmpty();
		other.close();
		node.getBean(Accounts.class).close(List.of("a", "b", "c"));
		assertThat(node.getBean(RecordingLedger.class).locks()).containsExactly(3, 3, 3);
	}

	@Test
	void callIsLockedOnlyIfTheConditionIsTrue() {
		ConfigurableApplicationContext node = node(Accounts.class, RecordingLedger.class);
		Accounts accounts = node.getBean(Accounts.class);
		accounts.note("a", 5);
		accounts.note("a", 5000);
		assertThat(node.getBean(RecordingLedger.class).locks()).containsExactly(0, 1);
	}

	private static void repeat(Runnable action) {
		for (int i = 0; i < 20; i++) {
			action.run();
		}
	}

	/**
	 * Records how many locks are held when it is called.
	 */
	static class RecordingLedger implements Accounts.Ledger {

		private final List<Integer> locks = new CopyOnWriteArrayList<>();

		@Override
		public void book(String id, int amount) {
			this.locks.add(LockContext.find().map((lock) -> lock.parts().size()).orElse(0));
		}

		@Override
		public void close(String id) {
			this.locks.add(LockContext.current().parts().size());
		}

		List<Integer> locks() {
			return this.locks;
		}

	}

}
