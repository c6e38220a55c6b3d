package io.distributedlock.spring;

import java.time.Duration;

import io.distributedlock.LockEvent;
import io.distributedlock.LockNotAcquiredException.Reason;

/**
 * A call did not get its lock, because others held it for the whole wait time or too many
 * calls wait already. One event is published for each such call, on a thread of the
 * template's executor.
 *
 * @param lock the lock
 * @param waited the time since the call began
 * @param reason {@code CONTENDED} or {@code CROWDED}
 * @since 0.1
 */
public record LockContendedEvent(LockEvent lock, Duration waited, Reason reason) {
}
