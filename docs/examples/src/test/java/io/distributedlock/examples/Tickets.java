package io.distributedlock.examples;

import io.distributedlock.LockType;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class Tickets {

	private final BoxOffice boxOffice;

	Tickets(BoxOffice boxOffice) {
		this.boxOffice = boxOffice;
	}

	@DistributedLock(name = "tickets", key = "#event", type = LockType.FAIR, waitTime = "30s")
	public void sell(String event, String customer) {
		this.boxOffice.sell(event, customer);
	}

	interface BoxOffice {

		void sell(String event, String customer);

	}

}
