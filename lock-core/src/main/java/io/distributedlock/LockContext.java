package io.distributedlock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The locks that the code running on a thread holds: those that the thread has acquired
 * by blocking calls, and those of the annotated methods that it is inside of.
 *
 * <pre>{@code
 * LockContext.current().ensureHeld();
 * }</pre>
 *
 * A context never passes to another thread by itself. To hand it over, {@link #capture()
 * capture} it and {@link #call call} the work with it there; calls for the same keys then
 * re-enter. It only serves to find locks: who owns one is decided by its handle, and a
 * handle that was closed anywhere is passed over everywhere. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class LockContext {

	/**
	 * Handles that were closed on other threads, or were never closed, stand in the way
	 * until they are found; at each such depth they are looked for. Of those whose lock
	 * has ended so many are kept, as the code that runs may be inside of them.
	 */
	private static final int PURGE_DEPTH = 64;

	private static final ThreadLocal<@Nullable LockContext> CURRENT = new ThreadLocal<>();

	private static final LockContext EMPTY = new LockContext(null, null);

	private final @Nullable LockHandle handle;

	private final @Nullable LockContext outer;

	private final int depth;

	private LockContext(@Nullable LockHandle handle, @Nullable LockContext outer) {
		this.handle = handle;
		this.outer = outer;
		this.depth = (outer != null) ? outer.depth + 1 : 0;
	}

	/**
	 * Return the lock that the running code took last and still has.
	 * @return the innermost handle of this thread
	 * @throws IllegalStateException if there is none
	 */
	public static LockHandle current() {
		return find().orElseThrow(() -> new IllegalStateException(
				"There is no lock on this thread. A lock is found by code that runs inside of the locked method or call, on the same thread; to another thread it is handed over by LockContext.capture()."));
	}

	/**
	 * Return the lock that the running code took last and still has, if there is one.
	 * @return the innermost handle of this thread
	 */
	public static Optional<LockHandle> find() {
		return capture().innermost();
	}

	/**
	 * Return the locks of the running code, to hand them over.
	 * @return the context of this thread
	 */
	public static LockContext capture() {
		LockContext current = CURRENT.get();
		return (current != null) ? current : EMPTY;
	}

	/**
	 * Return the innermost lock of this context.
	 * @return the handle that was added last and is not closed
	 */
	public Optional<LockHandle> innermost() {
		return innermost((handle) -> true);
	}

	/**
	 * Return the innermost lock of this context that is of a kind.
	 * @param condition says which
	 * @return the handle that was added last, is not closed, and is of that kind
	 */
	public Optional<LockHandle> innermost(Predicate<LockHandle> condition) {
		for (LockContext each = this; each != null; each = each.outer) {
			LockHandle candidate = each.handle;
			if (candidate != null && !candidate.isClosed() && condition.test(candidate)) {
				return Optional.of(candidate);
			}
		}
		return Optional.empty();
	}

	/**
	 * Return all locks of this context.
	 * @return the handles that are not closed, from the innermost to the outermost
	 */
	public List<LockHandle> handles() {
		List<LockHandle> handles = new ArrayList<>();
		for (LockContext each = openPart(this); each != null; each = openPart(each.outer)) {
			if (each.handle != null) {
				handles.add(each.handle);
			}
		}
		return handles;
	}

	/**
	 * Return this context with one more lock.
	 * @param handle the lock, which becomes the innermost
	 * @return a new context
	 */
	public LockContext with(LockHandle handle) {
		LockContext base = openPart(this);
		if (base != null && base.depth % PURGE_DEPTH == 0) {
			base = base.purged();
		}
		return new LockContext(handle, (base != null) ? base : EMPTY);
	}

	/**
	 * Do work on this thread with these locks instead of those that it has.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the work throws
	 * @param work the work
	 * @return its result
	 * @throws E what the work threw
	 */
	public <T extends @Nullable Object, E extends Throwable> T call(LockedCall<T, E> work) throws E {
		LockContext before = CURRENT.get();
		CURRENT.set(this);
		try {
			return work.call();
		}
		finally {
			restore(before);
		}
	}

	/**
	 * Make a task that does its work with these locks, on whatever thread it runs.
	 * @param <T> the type of the result
	 * @param work the work
	 * @return the task
	 */
	public <T extends @Nullable Object> Supplier<T> wrap(Supplier<T> work) {
		return () -> this.<T, RuntimeException>call(work::get);
	}

	/**
	 * Make a task that does its work with these locks, on whatever thread it runs.
	 * @param work the work
	 * @return the task
	 */
	public Runnable wrap(Runnable work) {
		return () -> this.<Boolean, RuntimeException>call(() -> {
			work.run();
			return true;
		});
	}

	/**
	 * For implementations of {@link LockTemplate}: let the code that goes on to run on
	 * this thread find a lock, until it is closed.
	 * @param handle the lock
	 */
	public static void attach(LockHandle handle) {
		CURRENT.set(capture().with(handle));
	}

	/**
	 * For implementations of {@link LockTemplate}: undo {@link #attach}. Does nothing if
	 * the lock is not found on this thread.
	 * @param handle the lock
	 */
	public static void detach(LockHandle handle) {
		LockContext current = CURRENT.get();
		if (current != null) {
			restore((current.handle == handle) ? openPart(current.outer) : current.without(handle));
		}
	}

	/**
	 * Return how many locks are looked through at most.
	 * @return the number, which includes closed ones that were not passed over yet
	 */
	int depth() {
		return this.depth;
	}

	private static void restore(@Nullable LockContext context) {
		if (context == null || context.depth == 0) {
			CURRENT.remove();
		}
		else {
			CURRENT.set(context);
		}
	}

	private static @Nullable LockContext openPart(@Nullable LockContext context) {
		LockContext current = context;
		while (current != null && (current.handle == null || current.handle.isClosed())) {
			current = current.outer;
		}
		return current;
	}

	/**
	 * Drop all that were closed on other threads, and those whose lock has ended but for
	 * the innermost: nobody is inside of so many any more, they were never closed.
	 */
	private LockContext purged() {
		int ended = 0;
		Deque<LockHandle> kept = new ArrayDeque<>();
		for (LockHandle each : handles()) {
			ended += each.isValid() ? 0 : 1;
			if (ended <= PURGE_DEPTH || each.isValid()) {
				kept.push(each);
			}
		}
		return of(kept);
	}

	/**
	 * Drop one handle, and all that were closed on other threads.
	 */
	private LockContext without(LockHandle dropped) {
		Deque<LockHandle> kept = new ArrayDeque<>();
		for (LockHandle each : handles()) {
			if (each != dropped) {
				kept.push(each);
			}
		}
		return of(kept);
	}

	private static LockContext of(Deque<LockHandle> kept) {
		LockContext rest = EMPTY;
		for (LockHandle each : kept) {
			rest = new LockContext(each, rest);
		}
		return rest;
	}

	@Override
	public String toString() {
		return "LockContext" + handles();
	}

}
