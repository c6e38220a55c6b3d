package io.distributedlock.examples;

import java.util.List;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class Accounts {

	private final Ledger ledger;

	Accounts(Ledger ledger) {
		this.ledger = ledger;
	}

	@DistributedLock(name = "account", key = "#from", waitTime = "30s")
	@DistributedLock(name = "account", key = "#to", waitTime = "30s")
	public void transfer(String from, String to, int amount) {
		this.ledger.book(from, -amount);
		this.ledger.book(to, amount);
	}

	@DistributedLock(name = "account", key = "#ids")
	public void close(List<String> ids) {
		ids.forEach(this.ledger::close);
	}

	@DistributedLock(name = "account", key = "#id", condition = "#amount > 1000")
	public void note(String id, int amount) {
		this.ledger.book(id, amount);
	}

	interface Ledger {

		void book(String id, int amount);

		void close(String id);

	}

}
