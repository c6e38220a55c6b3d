package io.distributedlock.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The calls that wait for a lock, so that they can be told when the template closes.
 */
final class WaitingCalls {

	private final Set<Acquisition> calls = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Note that a call waits.
	 * @return {@code false} if nothing may wait any more
	 */
	boolean add(Acquisition call) {
		this.calls.add(call);
		if (this.closed) {
			this.calls.remove(call);
			return false;
		}
		return true;
	}

	void remove(Acquisition call) {
		this.calls.remove(call);
	}

	int size() {
		return this.calls.size();
	}

	boolean isClosed() {
		return this.closed;
	}

	void close() {
		this.closed = true;
		this.calls.forEach((call) -> call.abandon(Outcome.CLOSED));
	}

}
