package com.example.warehouse;

/**
 * A customer, in the form of a bean.
 */
public class Customer {

	private final String name;

	/**
	 * Create a customer.
	 * @param name the name
	 */
	public Customer(String name) {
		this.name = name;
	}

	/**
	 * Return the name.
	 * @return the name
	 */
	public String getName() {
		return this.name;
	}

	/**
	 * Return whether anything is delivered to the customer.
	 * @return whether it is
	 */
	public boolean isServed() {
		return true;
	}

}
