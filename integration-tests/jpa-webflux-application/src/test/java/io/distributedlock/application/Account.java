package io.distributedlock.application;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * What the locked methods of this application change.
 */
@Entity
class Account {

	@Id
	private long id;

	private int balance;

	/**
	 * For JPA.
	 */
	protected Account() {
	}

	Account(long id) {
		this.id = id;
	}

	int balance() {
		return this.balance;
	}

	void add(int amount) {
		this.balance += amount;
	}

}
