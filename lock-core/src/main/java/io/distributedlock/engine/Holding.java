package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * What a handle of this engine tells the engine.
 */
interface Holding extends LockHandle {

	/**
	 * Return the lock on a key, if this handle stands for it.
	 */
	@Nullable HeldLock find(Engine engine, LockProvider provider, String key);

	/**
	 * Give back what was taken and not used.
	 */
	CompletableFuture<@Nullable Void> discard();

}
