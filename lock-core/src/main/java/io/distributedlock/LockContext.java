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
 * The locks that the code running on a thread holds: the locks that the thread has
 * acquired by blocking calls, and those of the annotated methods that are running on it.
 *
 * <pre>{@code
 * LockContext.current().ensureHeld();
 * }</pre>
 *
 * A context does not move to another thread by itself. To hand it over, {@link #capture()
 * capture} it, and {@link #call call} the work with it on the other thread; calls for the
 * same keys then re-enter. A context is only a way to find handles: the handle decides
 * whether a lock is held, and every context ignores a handle that is closed. Immutable
 * and thread-safe.
 *
 * @since 0.1
 */
public final class LockContext {

	/**
	 * At each multiple of this depth, handles are removed that were closed on other
	 * threads. Handles whose lock has ended are removed too, except so many of the
	 * innermost: the running code may be inside their methods.
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
	 * Return the lock that the running code acquired last and still holds.
	 * @return the innermost handle of this thread
	 * @throws IllegalStateException if there is none
	 */
	public static LockHandle current() {
		return find().orElseThrow(() -> new IllegalStateException(
				"There is no lock on this thread. Call this inside the locked method or call, on the same thread; hand the lock over to another thread by LockContext.capture(). A reactive chain or a coroutine has it in its context."));
	}

	/**
	 * Return the lock that the running code acquired last and still holds.
	 * @return the innermost handle of this thread; empty if there is none
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
	 * Return the innermost lock of this context for which a condition holds.
	 * @param condition the condition
	 * @return the handle that was added last, is not closed, and meets the condition
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
	 * Run work on this thread with the locks of this context instead of those that the
	 * thread has.
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
	 * Return a task that runs work with the locks of this context, on whatever thread it
	 * runs.
	 * @param <T> the type of the result
	 * @param work the work
	 * @return the task
	 */
	public <T extends @Nullable Object> Supplier<T> wrap(Supplier<T> work) {
		return () -> this.<T, RuntimeException>call(work::get);
	}

	/**
	 * Return a task that runs work with the locks of this context, on whatever thread it
	 * runs.
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
	 * For implementations of {@link LockTemplate}: let the code on this thread find a
	 * lock until the handle is closed.
	 * @param handle the lock
	 */
	public static void attach(LockHandle handle) {
		CURRENT.set(capture().with(handle));
	}

	/**
	 * For implementations of {@link LockTemplate}: undo {@link #attach}. Does nothing if
	 * this thread does not know the lock.
	 * @param handle the lock
	 */
	public static void detach(LockHandle handle) {
		LockContext current = CURRENT.get();
		if (current != null) {
			restore((current.handle == handle) ? openPart(current.outer) : current.keeping((each) -> each != handle));
		}
	}

	/**
	 * Return how many handles a search looks at, at most.
	 * @return the number, which includes closed handles that are not removed yet
	 */
	int depth() {
		return this.depth;
	}

	private static void restore(@Nullable LockContext context) {
		// not removed: an entry without a value costs less than a new one for each lock
		CURRENT.set((context == null || context.depth == 0) ? null : context);
	}

	private static @Nullable LockContext openPart(@Nullable LockContext context) {
		LockContext current = context;
		while (current != null && (current.handle == null || current.handle.isClosed())) {
			current = current.outer;
		}
		return current;
	}

	/**
	 * Return this context without handles that were closed on other threads, and without
	 * those whose lock has ended, except the innermost. Code does not nest so deep: the
	 * others were never closed.
	 */
	private LockContext purged() {
		int[] ended = new int[1];
		return keeping((each) -> each.isValid() || ++ended[0] <= PURGE_DEPTH);
	}

	/**
	 * Return this context with some of its handles, and without those that were closed on
	 * other threads.
	 */
	private LockContext keeping(Predicate<LockHandle> condition) {
		Deque<LockHandle> kept = new ArrayDeque<>();
		handles().stream().filter(condition).forEach(kept::push);
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
