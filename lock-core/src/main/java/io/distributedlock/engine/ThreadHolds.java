package io.distributedlock.engine;

import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the code running on a thread holds, so that an inner call finds those of
 * the outer one. It only serves to find them: who owns a lock is never decided by a
 * thread, and a lock that was given back elsewhere is passed over.
 */
final class ThreadHolds {

	// one for each template: the holds of two templates are not to be mixed
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Hold> current = new ThreadLocal<>();

	@Nullable HeldLock find(LockProvider provider, String key) {
		for (Hold hold = this.current.get(); hold != null; hold = hold.outer) {
			HeldLock lock = hold.lock;
			if (!lock.isLetGo() && lock.provider() == provider && lock.key().equals(key)) {
				return lock;
			}
		}
		return null;
	}

	void push(HeldLock lock) {
		this.current.set(new Hold(lock, without(this.current.get(), null)));
	}

	void remove(HeldLock lock) {
		Hold rest = without(this.current.get(), lock);
		if (rest == null) {
			this.current.remove();
		}
		else {
			this.current.set(rest);
		}
	}

	/**
	 * Drop one lock, and all that were released meanwhile on other threads.
	 */
	private static @Nullable Hold without(@Nullable Hold hold, @Nullable HeldLock lock) {
		if (hold == null) {
			return null;
		}
		Hold outer = without(hold.outer, lock);
		if (hold.lock == lock || hold.lock.isLetGo()) {
			return outer;
		}
		return (outer == hold.outer) ? hold : new Hold(hold.lock, outer);
	}

	private static final class Hold {

		private final HeldLock lock;

		private final @Nullable Hold outer;

		private Hold(HeldLock lock, @Nullable Hold outer) {
			this.lock = lock;
			this.outer = outer;
		}

	}

}
