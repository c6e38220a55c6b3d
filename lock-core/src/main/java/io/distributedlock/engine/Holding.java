package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * What a handle of this engine tells the engine.
 */
interface Holding extends LockHandle {

	/**
	 * Return the lock that an attempt may enter again, if this handle stands for it.
	 */
	@Nullable HeldLock reentered(LockAttempt attempt, Engine engine);

	/**
	 * Return whether an attempt like this one gave this handle.
	 */
	boolean isFor(LockAttempt attempt, Engine engine);

	/**
	 * Return what was asked for; where there are several locks, for the first.
	 */
	LockAttempt attempt();

	/**
	 * Return the locks that were acquired together.
	 */
	List<? extends Holding> holdings();

	/**
	 * Begin to extend what the handle stands for.
	 * @return completes within the command time-out, on any thread
	 */
	CompletableFuture<@Nullable Void> startExtension(Duration leaseTime);

	/**
	 * Mark the handle as closed and begin to give back what it stands for.
	 * @return completes, always normally, with what failed
	 */
	CompletableFuture<@Nullable LockUnavailableException> leave();

	/**
	 * As {@link #leave()}, for what was taken and not used.
	 */
	CompletableFuture<@Nullable LockUnavailableException> discard();

	/**
	 * Mark the handle as closed by a thread that has no stack left for more. The keeper
	 * lets go of what nobody else has.
	 */
	void abandon();

}
