package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Who may hold a key together, and in which order waiters are served.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 *
 * @since 0.1
 */
public enum LockType {

	/**
	 * One owner at a time.
	 */
	EXCLUSIVE,

	/**
	 * One owner at a time. Waiters, on whatever node, are served in the order of their
	 * arrival. Needs {@link LockCapability#FAIR}.
	 */
	FAIR,

	/**
	 * Any number of readers at a time, while nobody holds the key with another lock type.
	 * Needs {@link LockCapability#SHARED}.
	 */
	READ,

	/**
	 * One owner at a time, and no readers. A writer may also acquire {@link #READ};
	 * others can read when both are closed. Needs {@link LockCapability#SHARED}.
	 */
	WRITE,

	/**
	 * Up to a number of owners at a time, see {@link LockRequest#withPermits}. Needs
	 * {@link LockCapability#SEMAPHORE}.
	 */
	SEMAPHORE;

	/**
	 * Return the capability that a provider needs for this lock type.
	 * @return the capability, {@code null} if every provider grants it
	 */
	public @Nullable LockCapability requiredCapability() {
		return switch (this) {
			case EXCLUSIVE -> null;
			case FAIR -> LockCapability.FAIR;
			case READ, WRITE -> LockCapability.SHARED;
			case SEMAPHORE -> LockCapability.SEMAPHORE;
		};
	}

}
