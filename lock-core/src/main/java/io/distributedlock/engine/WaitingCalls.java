package io.distributedlock.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The calls that wait for a lock, by key, so that a crowd can be limited and all can be
 * told when the template closes.
 */
final class WaitingCalls {

	private final ConcurrentHashMap<String, Set<Acquisition>> calls = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Note that a call waits, unless it is known already.
	 * @param lane what stands for the key
	 * @param limit how many calls may wait for it
	 * @param call the call
	 * @return how it ends if it may not wait
	 */
	@Nullable Outcome add(String lane, int limit, Acquisition call) {
		Set<Acquisition> crowd = this.calls.compute(lane, (ignored, current) -> {
			Set<Acquisition> all = (current != null) ? current : ConcurrentHashMap.newKeySet();
			if (all.size() < limit) {
				all.add(call);
			}
			return all.isEmpty() ? null : all;
		});
		if (crowd == null || !crowd.contains(call)) {
			return Outcome.CROWDED;
		}
		if (this.closed) {
			remove(lane, call);
			return Outcome.CLOSED;
		}
		return null;
	}

	void remove(String lane, Acquisition call) {
		this.calls.computeIfPresent(lane, (ignored, all) -> {
			all.remove(call);
			return all.isEmpty() ? null : all;
		});
	}

	int size() {
		return this.calls.values().stream().mapToInt(Set::size).sum();
	}

	boolean isClosed() {
		return this.closed;
	}

	void close() {
		this.closed = true;
		this.calls.values().forEach((all) -> all.forEach((call) -> call.abandon(Outcome.CLOSED)));
	}

}
