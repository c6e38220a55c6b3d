package io.distributedlock.engine.internal.lease;

/**
 * The call of this JVM that gets a key after another one. It is in front at its key when
 * the method is called.
 * <p>
 * Why: docs/decisions/043-passed-on-inside-a-jvm.md
 */
public interface Successor {

	/**
	 * Take a lock over from the call before it.
	 * @param lock the lock, which nobody else has
	 */
	void takeOver(HeldLock lock);

}
