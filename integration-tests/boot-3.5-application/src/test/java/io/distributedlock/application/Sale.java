package io.distributedlock.application;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * What the shop keeps of an order.
 */
@Entity
class Sale {

	@Id
	private String id;

	protected Sale() {
	}

	Sale(String id) {
		this.id = id;
	}

	String id() {
		return this.id;
	}

}
