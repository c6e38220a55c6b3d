package io.distributedlock.test.clock;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the calls of the user's code that have not returned, of those that were asked
 * for since this count began.
 */
final class CallbackCount {

	private final AtomicInteger open = new AtomicInteger();

	Runnable counted(Runnable callback) {
		this.open.incrementAndGet();
		return () -> {
			try {
				callback.run();
			}
			finally {
				this.open.decrementAndGet();
			}
		};
	}

	boolean isZero() {
		return this.open.get() == 0;
	}

}
