package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The kind of a lock.
 *
 * @since 0.1
 */
public enum LockType {

	/**
	 * One owner at a time. The owner may take the lock again while it holds it.
	 */
	EXCLUSIVE,

	/**
	 * One owner at a time, and those who wait, on whatever node, are served in the order
	 * in which they came. Needs {@link LockCapability#FAIR}.
	 */
	FAIR,

	/**
	 * Any number of readers at a time, while nobody has the key in another way. Needs
	 * {@link LockCapability#SHARED}.
	 */
	READ,

	/**
	 * One owner at a time, and no readers. A writer may also take {@link #READ}, and let
	 * other readers in by giving this lock back before that. Needs
	 * {@link LockCapability#SHARED}.
	 */
	WRITE,

	/**
	 * Up to a number of owners at a time, see {@link LockRequest#withPermits}. Needs
	 * {@link LockCapability#SEMAPHORE}.
	 */
	SEMAPHORE;

	/**
	 * Return what a provider must be capable of to grant locks of this kind.
	 * @return the capability, {@code null} if every provider can
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
