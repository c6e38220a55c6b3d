package io.distributedlock.benchmarks;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OnLost;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.transaction.annotation.Transactional;

/**
 * Locked methods that do nothing, so that a call costs only its lock.
 */
class Orders {

	public long plain(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders")
	public long constantKey(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders", key = "#order.id", leaseTime = "30s", waitTime = "5s")
	public long expressionKey(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders", key = "#order.id", condition = "#order.id < 0")
	public long conditionThatIsFalse(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders", key = "{#order.id, #order.id + 1}")
	public long twoKeys(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders", key = "#order.id")
	public long outer(Order order, Orders self) {
		return self.expressionKey(order);
	}

	@Transactional
	@DistributedLock(name = "orders", key = "#order.id")
	public long inTransaction(Order order) {
		return order.id();
	}

	@Transactional
	public long inTransactionWithoutLock(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders", key = "#order.id", onLost = OnLost.INTERRUPT)
	public long interruptedOnLoss(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders", key = "'busy'", waitTime = "0", onContention = OnContention.SKIP)
	public @Nullable Long skipped(Order order) {
		return order.id();
	}

	@DistributedLock(name = "orders", key = "#order.id")
	public Mono<Long> mono(Order order) {
		return Mono.just(order.id());
	}

	record Order(long id) {

	}

}
