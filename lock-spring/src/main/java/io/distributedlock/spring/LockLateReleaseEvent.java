package io.distributedlock.spring;

import java.time.Duration;

import io.distributedlock.LockEvent;

/**
 * The last holder of a lock has left after the lock was lost: it may have worked without
 * the lock in between. One event is published for each such hold, on a thread of the
 * template's executor.
 *
 * @param lock the lock
 * @param held the time since the holder got the lock
 * @since 0.1
 */
public record LockLateReleaseEvent(LockEvent lock, Duration held) {
}
