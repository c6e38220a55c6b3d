package io.distributedlock.examples.payouts;

interface Bank {

	void transfer(int payout);

}
