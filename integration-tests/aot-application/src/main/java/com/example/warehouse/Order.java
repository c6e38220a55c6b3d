package com.example.warehouse;

/**
 * An order, whose parts expressions read.
 *
 * @param id its number, a record in turn
 * @param customer who has ordered
 */
public record Order(OrderId id, Customer customer) {

	/**
	 * The number of an order.
	 *
	 * @param year the year
	 * @param number the number within the year
	 */
	public record OrderId(int year, String number) {
	}

}
