package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call that runs only if the lock is available.
 *
 * @param <T> the type of the result of the work
 * @param acquired whether the lock was acquired, and so the work was run
 * @param value the result of the work; {@code null} if the lock was not acquired or the
 * work returned {@code null}
 * @since 0.1
 */
public record LockOutcome<T>(boolean acquired, @Nullable T value) {
}
