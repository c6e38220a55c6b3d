package io.distributedlock.engine.internal.key;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.distributedlock.engine.internal.runtime.Bag;
import io.distributedlock.spi.LockProvider;

/**
 * The calls under way, so that all of them end when the template closes; and how many
 * calls wait for each key, so that their number can be limited.
 */
public final class WaitingCalls {

	private final Bag<CallUnderWay> underWay = new Bag<>();

	private final ConcurrentHashMap<String, Integer> crowds = new ConcurrentHashMap<>();

	private volatile boolean closed;

	private volatile boolean draining;

	/**
	 * Note a call.
	 * @return {@code false} if the template is closed or drains, and the call must end
	 */
	boolean begin(CallUnderWay call) {
		this.underWay.add(call);
		return !this.closed && !(this.draining && !call.isInsideAnotherLock());
	}

	void end(CallUnderWay call) {
		this.underWay.remove(call);
	}

	/**
	 * Count one more waiting call.
	 * @param gateKey its key at the local gate
	 * @param limit how many calls may wait for that key
	 * @return {@code false} if so many wait already
	 */
	boolean join(String gateKey, int limit) {
		boolean[] joined = new boolean[1];
		this.crowds.compute(gateKey, (ignored, count) -> {
			int waiting = (count != null) ? count : 0;
			joined[0] = waiting < limit;
			return joined[0] ? Integer.valueOf(waiting + 1) : count;
		});
		return joined[0];
	}

	void leave(String gateKey) {
		this.crowds.computeIfPresent(gateKey, (ignored, count) -> (count > 1) ? count - 1 : null);
	}

	/**
	 * Return how many calls wait for a key.
	 * @param gateKey the key at the local gate
	 */
	public int waitersOf(String gateKey) {
		return this.crowds.getOrDefault(gateKey, 0);
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
	 * Return how many calls wait.
	 */
	public int size() {
		return this.crowds.values().stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * Return how many calls have begun and not ended.
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
		return calls.sorted(Comparator.comparingLong(CallUnderWay::startNanos)).toList();
	}

}
