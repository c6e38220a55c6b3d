package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.Deque;

import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the code running on a thread holds, so that an inner call finds those of
 * the outer one. It only serves to find them: who owns a lock is never decided by a
 * thread, and a lock that was given back elsewhere is passed over.
 */
final class ThreadHolds {

	/**
	 * Locks that were given back on other threads stand in the way until they are found;
	 * at each such depth they are looked for.
	 */
	private static final int PURGE_DEPTH = 64;

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
		Hold outer = innermostHeld(this.current.get());
		if (outer != null && outer.depth % PURGE_DEPTH == 0) {
			outer = without(outer, null);
		}
		this.current.set(new Hold(lock, outer));
	}

	void remove(HeldLock lock) {
		Hold hold = this.current.get();
		Hold rest = (hold != null && hold.lock == lock) ? innermostHeld(hold.outer) : without(hold, lock);
		if (rest == null) {
			this.current.remove();
		}
		else {
			this.current.set(rest);
		}
	}

	int depth() {
		Hold hold = this.current.get();
		return (hold != null) ? hold.depth : 0;
	}

	private static @Nullable Hold innermostHeld(@Nullable Hold hold) {
		Hold current = hold;
		while (current != null && current.lock.isLetGo()) {
			current = current.outer;
		}
		return current;
	}

	/**
	 * Drop one lock, and all that were given back on other threads.
	 */
	private static @Nullable Hold without(@Nullable Hold hold, @Nullable HeldLock lock) {
		Deque<HeldLock> kept = new ArrayDeque<>();
		for (Hold each = hold; each != null; each = each.outer) {
			if (each.lock != lock && !each.lock.isLetGo()) {
				kept.push(each.lock);
			}
		}
		Hold rest = null;
		for (HeldLock each : kept) {
			rest = new Hold(each, rest);
		}
		return rest;
	}

	private static final class Hold {

		private final HeldLock lock;

		private final @Nullable Hold outer;

		private final int depth;

		private Hold(HeldLock lock, @Nullable Hold outer) {
			this.lock = lock;
			this.outer = outer;
			this.depth = (outer != null) ? outer.depth + 1 : 1;
		}

	}

}
