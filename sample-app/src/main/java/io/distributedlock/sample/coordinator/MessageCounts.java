package io.distributedlock.sample.coordinator;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts messages.
 */
final class MessageCounts {

	private final LongAdder sent = new LongAdder();

	private final LongAdder refused = new LongAdder();

	void count(boolean accepted) {
		(accepted ? this.sent : this.refused).increment();
	}

	long sent() {
		return this.sent.sum();
	}

	long refused() {
		return this.refused.sum();
	}

}
