package io.distributedlock.examples;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The snippets of the README.
 */
class ReadmeExampleTests extends OnEveryProvider {

	private final List<Long> tokens = new ArrayList<>();

	@Test
	void annotatedMethodRunsUnderItsLock() {
		ConfigurableApplicationContext node = node(Orders.class);
		assertThat(node.getBean(Orders.class).settle(new Order(42))).isEqualTo(new Receipt(42));
	}

	@Test
	void templateRunsWhatIsNoWholeMethod() {
		LockTemplate lockTemplate = locks(node(Orders.class));
		// false if another node writes it
		boolean written = lockTemplate.tryExecute("nightly-report", () -> writeReport());

		try (LockHandle lock = lockTemplate.acquire(LockRequest.of("stock").withWaitTime(Duration.ofSeconds(2)))) {
			lock.onLost((loss) -> stopCounting());
			countStock(lock.fencingToken().orElseThrow());
		}
		assertThat(written).isTrue();
		assertThat(this.tokens).hasSize(2);
	}

	private void writeReport() {
		this.tokens.add(0L);
	}

	private void stopCounting() {
		this.tokens.clear();
	}

	private void countStock(long token) {
		this.tokens.add(token);
	}

	static class Orders {

		@Transactional
		@DistributedLock(name = "order", key = "#order.id", waitTime = "2s")
		public Receipt settle(Order order) {
			// one call at a time for each order; the next one begins after the commit
			return new Receipt(order.id());
		}

	}

	record Order(long id) {
	}

	record Receipt(long orderId) {
	}

}
