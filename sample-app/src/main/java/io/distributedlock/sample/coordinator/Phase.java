package io.distributedlock.sample.coordinator;

import io.distributedlock.sample.Mode;

/**
 * A stretch of the demonstration in one mode.
 *
 * @param number a number that rises with each phase
 * @param mode how the nodes refresh
 */
record Phase(int number, Mode mode) {

	/**
	 * Return the account whose messages are sent. Each phase has its own, so that it
	 * begins without a token: the first refresh would otherwise replace a token of the
	 * other mode, and count as one that was too early.
	 */
	String account() {
		return "wx-demo-" + this.number;
	}

}
