package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The lease times of locks whose call has set one, until they are unlocked. The entry of
 * a lock that is never unlocked stays. Thread-safe.
 */
final class LeaseTimes {

	private final ConcurrentHashMap<String, Held> held = new ConcurrentHashMap<>();

	@Nullable Duration find(String key) {
		Held found = this.held.get(key);
		return (found != null) ? found.leaseTime() : null;
	}

	/**
	 * Note that this thread locked a lock, possibly again. What an earlier holder has
	 * left, whose lock ended without it, does not count.
	 * @param leaseTime the time that the call has set, {@code null} for none
	 */
	void locked(String key, @Nullable Duration leaseTime) {
		boolean again = isHeldAgain();
		this.held.compute(key, (ignored, found) -> {
			Held before = again ? found : null;
			if (leaseTime == null) {
				return (before != null) ? new Held(before.leaseTime(), before.holds() + 1) : null;
			}
			return new Held(leaseTime, (before != null) ? before.holds() + 1 : 1);
		});
	}

	void unlocked(String key) {
		this.held.computeIfPresent(key,
				(ignored, before) -> (before.holds() > 1) ? new Held(before.leaseTime(), before.holds() - 1) : null);
	}

	private static boolean isHeldAgain() {
		LockHandle last = LockContext.current();
		return LockContext.capture()
			.handles()
			.stream()
			.anyMatch((each) -> each != last && each.isValid() && each.key().equals(last.key()));
	}

	private record Held(Duration leaseTime, int holds) {
	}

}
