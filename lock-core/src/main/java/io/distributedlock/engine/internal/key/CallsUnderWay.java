package io.distributedlock.engine.internal.key;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.engine.internal.runtime.Bag;
import io.distributedlock.spi.LockProvider;

/**
 * The calls under way, so that all of them end when the template closes.
 */
public final class CallsUnderWay {

	private final Bag<CallUnderWay> underWay = new Bag<>();

	private volatile boolean closed;

	private volatile boolean draining;

	/**
	 * Note a call.
	 * @return {@code false} if the call has ended, or must end as the template is closed
	 * or drains
	 */
	boolean begin(CallUnderWay call) {
		this.underWay.add(call);
		if (call.isOver()) {
			// before it was here
			end(call);
			return false;
		}
		return !this.closed && !(this.draining && !call.isInsideAnotherLock());
	}

	void end(CallUnderWay call) {
		this.underWay.remove(call);
	}

	/**
	 * Return the calls that wait, those first that wait for the longest time.
	 */
	public List<CallUnderWay> waiting() {
		return sorted(this.underWay.members().stream().filter(CallUnderWay::isWaiting));
	}

	/**
	 * Return the calls under way that need a provider.
	 */
	List<CallUnderWay> of(LockProvider provider) {
		return this.underWay.members().stream().filter((call) -> call.attempt().isFor(provider)).toList();
	}

	/**
	 * Return how many calls have begun and not ended, or have ended before the answer to
	 * an attempt, which may bring a lease.
	 */
	public int underWay() {
		return this.underWay.size();
	}

	public boolean isClosed() {
		return this.closed;
	}

	/**
	 * Let only calls begin whose callers hold a lock already.
	 * @return the other calls under way, the oldest first
	 */
	public List<CallUnderWay> drain() {
		this.draining = true;
		return sorted(this.underWay.members().stream().filter((call) -> !call.isInsideAnotherLock()));
	}

	/**
	 * Let all calls begin again.
	 */
	public void resume() {
		this.draining = false;
	}

	/**
	 * Let no more calls begin, and return those under way, the oldest first.
	 */
	public List<CallUnderWay> close() {
		this.closed = true;
		return sorted(this.underWay.members().stream());
	}

	private static List<CallUnderWay> sorted(Stream<CallUnderWay> calls) {
		// the clock may overflow, so instants are compared by their difference
		return calls.sorted((first, second) -> Long.signum(first.startNanos() - second.startNanos())).toList();
	}

}
