package io.distributedlock.examples;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Shop {

	private final Stock stock;

	private final Payments payments;

	Shop(Stock stock, Payments payments) {
		this.stock = stock;
		this.payments = payments;
	}

	@Transactional
	public void sell(int item) {
		this.stock.take(item); // the lock is held until the commit
		this.payments.charge(item);
	}

	interface Payments {

		void charge(int item);

	}

}
