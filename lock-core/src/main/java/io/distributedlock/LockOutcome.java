package io.distributedlock;

import java.util.Optional;

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

	/**
	 * Return the result of the work as an optional.
	 * @return the result, empty if the lock was not acquired or the work returned
	 * {@code null}
	 */
	public Optional<T> toOptional() {
		return Optional.ofNullable(this.value);
	}

}
