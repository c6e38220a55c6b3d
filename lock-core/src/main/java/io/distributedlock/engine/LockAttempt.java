package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.spi.LockProvider;

/**
 * A request with every default filled in.
 *
 * @param key the full key
 * @param provider the backend to ask
 * @param type the kind of lock
 * @param waitTime how long to wait
 * @param leaseTime the length of the lease in whole milliseconds
 * @param renewed whether the lease is kept alive
 */
record LockAttempt(String key, LockProvider provider, LockType type, Duration waitTime, Duration leaseTime,
		boolean renewed) {
}
