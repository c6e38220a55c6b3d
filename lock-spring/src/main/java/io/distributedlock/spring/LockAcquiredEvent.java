package io.distributedlock.spring;

import java.time.Duration;

import io.distributedlock.LockEvent;

/**
 * A lock was acquired by a call of this node. Published only with
 * {@code lock.events: all}, on a thread of the template's executor.
 *
 * @param lock the lock
 * @param waited how long the call waited
 * @since 0.1
 */
public record LockAcquiredEvent(LockEvent lock, Duration waited) {
}
