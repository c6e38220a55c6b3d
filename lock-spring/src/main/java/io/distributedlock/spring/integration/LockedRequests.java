package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * What the locks of a registry were locked with, as long as their handles are in use.
 * Thread-safe.
 */
final class LockedRequests {

	private final Map<LockHandle, LockRequest> requests = Collections.synchronizedMap(new WeakHashMap<>());

	/**
	 * Note that this thread has just locked a lock.
	 */
	void locked(LockRequest request) {
		this.requests.put(LockContext.current(), request);
	}

	/**
	 * Return the handles by which this thread has locked a key, the innermost first.
	 */
	List<LockHandle> held(LockRequest request) {
		return LockContext.capture().handles().stream().filter((each) -> {
			LockRequest locked = this.requests.get(each);
			return locked != null && locked.key().equals(request.key());
		}).toList();
	}

	/**
	 * Return the lease time that was set last.
	 * @param held the handles of one lock, the innermost first
	 */
	@Nullable Duration leaseTime(List<LockHandle> held) {
		return held.stream()
			.map(this.requests::get)
			.filter(Objects::nonNull)
			.map(LockRequest::leaseTime)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

}
