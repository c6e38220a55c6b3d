package io.distributedlock.examples;

import io.distributedlock.LockType;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnLost;

import org.springframework.stereotype.Service;

@Service
class FromKlock {

	@DistributedLock(name = "invoice", key = "#{#customer.id}-#{#month}", type = LockType.FAIR, waitTime = "60s",
			leaseTime = "60s", onLost = OnLost.THROW)
	public String write(Customer customer, String month) {
		return "written";
	}

	@DistributedLock(name = "rate", key = "#currency", waitTime = "1s", fallback = "unlocked")
	public String rate(String currency) {
		return "computed once";
	}

	String unlocked(String currency) {
		return "computed beside another call";
	}

	record Customer(long id) {
	}

}
