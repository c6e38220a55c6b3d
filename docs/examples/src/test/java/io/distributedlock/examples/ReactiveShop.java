package io.distributedlock.examples;

import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class ReactiveShop {

	private final ReactiveStock stock;

	private final Payments payments;

	ReactiveShop(ReactiveStock stock, Payments payments) {
		this.stock = stock;
		this.payments = payments;
	}

	@Transactional
	public Mono<Void> sell(int item) {
		return this.stock.take(item).then(this.payments.charge(item));
	}

	interface Payments {

		Mono<Void> charge(int item);

	}

}
