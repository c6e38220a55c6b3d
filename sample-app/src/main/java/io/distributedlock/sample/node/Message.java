package io.distributedlock.sample.node;

/**
 * A message to a customer.
 *
 * @param customer who gets it
 * @param text what it says
 */
record Message(String customer, String text) {
}
