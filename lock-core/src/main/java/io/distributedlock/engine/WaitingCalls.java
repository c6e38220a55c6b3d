package io.distributedlock.engine;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The calls that are under way, so that all can be ended when the template closes, and
 * how many of them wait for each key, so that a crowd can be limited.
 */
final class WaitingCalls {

	private final Set<Acquisition> underWay = ConcurrentHashMap.newKeySet();

	private final ConcurrentHashMap<String, Integer> crowds = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Note a call.
	 * @return {@code false} if the template is closed, so that it must not go on
	 */
	boolean begin(Acquisition call) {
		this.underWay.add(call);
		return !this.closed;
	}

	void end(Acquisition call) {
		this.underWay.remove(call);
	}

	/**
	 * Count one more call that waits.
	 * @param lane what it waits for
	 * @param limit how many calls may wait for it
	 * @return {@code false} if so many wait already
	 */
	boolean join(String lane, int limit) {
		boolean[] joined = new boolean[1];
		this.crowds.compute(lane, (ignored, count) -> {
			int waiting = (count != null) ? count : 0;
			joined[0] = waiting < limit;
			return joined[0] ? Integer.valueOf(waiting + 1) : count;
		});
		return joined[0];
	}

	void leave(String lane) {
		this.crowds.computeIfPresent(lane, (ignored, count) -> (count > 1) ? count - 1 : null);
	}

	/**
	 * Return how many calls wait.
	 */
	int size() {
		return this.crowds.values().stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * Return how many calls have begun and not ended.
	 */
	int underWay() {
		return this.underWay.size();
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Let no call begin, and return those that wait, the oldest first.
	 */
	List<Acquisition> close() {
		this.closed = true;
		return this.underWay.stream().sorted(Comparator.comparingLong(Acquisition::startNanos)).toList();
	}

}
