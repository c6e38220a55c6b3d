package io.distributedlock.spring;

import java.time.Duration;

import io.distributedlock.LockEvent;

/**
 * A lock was released: its last holder has left, and the backend has answered, or the
 * lock was passed on to the next caller of this node. Published only with
 * {@code lock.events: all}, on a thread of the template's executor.
 *
 * @param lock the lock
 * @param held the time since the holder got the lock
 * @since 0.1
 */
public record LockReleasedEvent(LockEvent lock, Duration held) {
}
