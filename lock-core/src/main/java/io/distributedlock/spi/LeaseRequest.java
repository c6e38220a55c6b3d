package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.LockType;

/**
 * One attempt to get a lock, as the engine asks a provider for it.
 *
 * @param key the full key, already escaped and bounded in length: printable ASCII without
 * white space, braces and slashes
 * @param leaseTime how long the lease shall run, at least one millisecond and a whole
 * number of them
 * @param type the kind of lock
 * @since 0.1
 */
public record LeaseRequest(String key, Duration leaseTime, LockType type) {
}
