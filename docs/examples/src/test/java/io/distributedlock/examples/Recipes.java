package io.distributedlock.examples;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * The methods of {@code docs/recipes.md} that no other example has.
 */
@Service
class Recipes {

	private final Orders orders;

	private final Tokens tokens;

	Recipes(Orders orders, Tokens tokens) {
		this.orders = orders;
		this.tokens = tokens;
	}

	@DistributedLock(name = "order", key = "#orderId", waitTime = "10s")
	public void paid(String orderId) {
		if (this.orders.isPaid(orderId)) {
			return; // an earlier message has done it
		}
		this.orders.ship(orderId);
		this.orders.markPaid(orderId);
	}

	@DistributedLock(name = "wechat-token", key = "#appId", waitTime = "10s")
	public String refresh(String appId, String seen) {
		String shared = this.tokens.read(appId);
		if (!shared.equals(seen)) {
			return shared; // another node was faster
		}
		String fresh = this.tokens.fetch(appId);
		this.tokens.write(appId, fresh);
		return fresh;
	}

	@DistributedLock(name = "invoice", key = "#{#tenant}.#{#month}")
	public void bill(String tenant, String month) {
		this.orders.bill(tenant, month);
	}

	interface Orders {

		boolean isPaid(String orderId);

		void ship(String orderId);

		void markPaid(String orderId);

		void bill(String tenant, String month);

	}

	interface Tokens {

		String read(String appId);

		String fetch(String appId);

		void write(String appId, String token);

	}

}
