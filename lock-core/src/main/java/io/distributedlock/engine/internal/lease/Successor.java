package io.distributedlock.engine.internal.lease;

import java.util.concurrent.CompletionStage;

/**
 * The call of this JVM that gets a key after another one. It is in front at its key when
 * one of these methods is called.
 * <p>
 * Why: docs/decisions/043-passed-on-inside-a-jvm.md
 */
public interface Successor {

	/**
	 * Take a lock over from the call before it.
	 * @param lock the lock, which nobody else has
	 */
	void takeOver(HeldLock lock);

	/**
	 * Release a lock for the call before, and take a place at the backend in the same
	 * step.
	 * @param lock the lock
	 * @return the answer to the release
	 */
	CompletionStage<Boolean> exchange(HeldLock lock);

}
