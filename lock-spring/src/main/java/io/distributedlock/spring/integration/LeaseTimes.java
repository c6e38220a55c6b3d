package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The lease times of locks whose call has set one, as long as their handles are in use.
 * Thread-safe.
 */
final class LeaseTimes {

	private final Map<LockHandle, Duration> times = Collections.synchronizedMap(new WeakHashMap<>());

	/**
	 * Return the lease time that was set last.
	 * @param held the handles of one lock, the innermost first
	 * @param otherwise what to return if no call has set one
	 */
	@Nullable Duration find(List<LockHandle> held, @Nullable Duration otherwise) {
		return held.stream().map(this.times::get).filter(Objects::nonNull).findFirst().orElse(otherwise);
	}

	/**
	 * Note that this thread has just locked a lock.
	 * @param leaseTime the time that the call has set
	 */
	void locked(Duration leaseTime) {
		this.times.put(LockContext.current(), leaseTime);
	}

}
