package io.distributedlock.examples.payouts;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class Payouts {

	private final Set<Integer> paid = ConcurrentHashMap.newKeySet();

	private final Bank bank;

	Payouts(Bank bank) {
		this.bank = bank;
	}

	@DistributedLock(name = "payout", key = "#id", waitTime = "2s")
	public void pay(int id) {
		this.bank.transfer(id);
		LockContext.current().ensureHeld();
		this.paid.add(id);
	}

	@DistributedLock(name = "closing", leaseTime = "10m")
	public void close(Runnable work) {
		work.run();
		LockContext.current().ensureHeld();
	}

	boolean isPaid(int id) {
		return this.paid.contains(id);
	}

}
