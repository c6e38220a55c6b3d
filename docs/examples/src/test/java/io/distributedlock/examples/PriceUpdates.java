package io.distributedlock.examples;

import io.distributedlock.LockCapability;
import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class PriceUpdates {

	private final PriceWriter writer;

	PriceUpdates(PriceWriter writer) {
		this.writer = writer;
	}

	@DistributedLock(name = "prices", requires = LockCapability.FENCING)
	public void setAll(int amount) {
		long token = LockContext.current().fencingToken().orElseThrow();
		this.writer.writeAll(amount, token);
	}

}
