package io.distributedlock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Runs work under a lock that all instances of an application share.
 *
 * <pre>{@code
 * lockTemplate.execute("order:" + id, () -> settle(order));
 * }</pre>
 *
 * Thread-safe. Keys that are given as strings use the template's defaults; a
 * {@link LockRequest} sets times, name, type and provider. The owner of a lock is the
 * call that acquired it, not a thread id; a call that is made inside the body of another
 * on the same thread re-enters without a call to the backend.
 *
 * @since 0.1
 */
public interface LockTemplate {

	/**
	 * Run work under the lock of a key and return its result. Waits the template's
	 * default wait time.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the work throws
	 * @param key the key
	 * @param work the work, run at most once
	 * @return the result of the work
	 * @throws E what the work threw; it always wins over a failed release, which is added
	 * as suppressed
	 * @throws LockNotAcquiredException if others held the lock for the whole wait time
	 * @throws LockUnavailableException if the backend failed; the work was not run
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockedCall<T, E> work) throws E {
		return execute(LockRequest.of(key), work);
	}

	/**
	 * Run work under the lock of a key. As {@link #execute(String, LockedCall)}.
	 * @param <E> the type of exception that the work throws
	 * @param key the key
	 * @param work the work, run at most once
	 * @throws E what the work threw
	 */
	default <E extends Throwable> void execute(String key, LockedAction<E> work) throws E {
		execute(LockRequest.of(key), work);
	}

	/**
	 * Run work under a lock and return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the work throws
	 * @param request what to lock and how
	 * @param work the work, run at most once
	 * @return the result of the work
	 * @throws E what the work threw; it always wins over a failed release, which is added
	 * as suppressed
	 * @throws LockNotAcquiredException if others held the lock for the whole wait time
	 * @throws LockUnavailableException if the backend failed; the work was not run
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCall<T, E> work) throws E;

	/**
	 * Run work under a lock. As {@link #execute(LockRequest, LockedCall)}.
	 * @param <E> the type of exception that the work throws
	 * @param request what to lock and how
	 * @param work the work, run at most once
	 * @throws E what the work threw
	 */
	default <E extends Throwable> void execute(LockRequest request, LockedAction<E> work) throws E {
		this.<Boolean, E>execute(request, () -> {
			work.run();
			return true;
		});
	}

	/**
	 * Run work if the lock of a key is available immediately.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the work throws
	 * @param key the key
	 * @param work the work, run at most once
	 * @return whether the lock was acquired, and the result of the work
	 * @throws E what the work threw
	 * @throws LockUnavailableException if the backend failed; the work was not run
	 */
	default <T, E extends Throwable> LockOutcome<T> tryExecute(String key, LockedCall<? extends @Nullable T, E> work)
			throws E {
		return tryExecute(LockRequest.of(key), work);
	}

	/**
	 * Run work if the lock of a key is available immediately.
	 * @param <E> the type of exception that the work throws
	 * @param key the key
	 * @param work the work, run at most once
	 * @return whether the lock was acquired and so the work done
	 * @throws E what the work threw
	 * @throws LockUnavailableException if the backend failed; the work was not run
	 */
	default <E extends Throwable> boolean tryExecute(String key, LockedAction<E> work) throws E {
		return tryExecute(LockRequest.of(key), work);
	}

	/**
	 * Run work if the lock is available within the wait time of the request, or
	 * immediately where it sets none.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the work throws
	 * @param request what to lock and how
	 * @param work the work, run at most once
	 * @return whether the lock was acquired, and the result of the work
	 * @throws E what the work threw
	 * @throws LockUnavailableException if the backend failed; the work was not run
	 */
	<T, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request, LockedCall<? extends @Nullable T, E> work)
			throws E;

	/**
	 * Run work if the lock is available within the wait time of the request, or
	 * immediately where it sets none.
	 * @param <E> the type of exception that the work throws
	 * @param request what to lock and how
	 * @param work the work, run at most once
	 * @return whether the lock was acquired and so the work done
	 * @throws E what the work threw
	 * @throws LockUnavailableException if the backend failed; the work was not run
	 */
	default <E extends Throwable> boolean tryExecute(LockRequest request, LockedAction<E> work) throws E {
		LockOutcome<Boolean> outcome = tryExecute(request, () -> {
			work.run();
			return true;
		});
		return outcome.acquired();
	}

	/**
	 * Acquire the lock of a key, waiting the template's default wait time.
	 * @param key the key
	 * @return the held lock, to be closed
	 * @throws LockNotAcquiredException if others held the lock for the whole wait time
	 * @throws LockUnavailableException if the backend failed
	 */
	default LockHandle acquire(String key) {
		return acquire(LockRequest.of(key));
	}

	/**
	 * Acquire a lock.
	 * @param request what to lock and how
	 * @return the held lock, to be closed
	 * @throws LockNotAcquiredException if others held the lock for the whole wait time
	 * @throws LockUnavailableException if the backend failed
	 */
	LockHandle acquire(LockRequest request);

	/**
	 * Acquire the lock of a key if it is available immediately.
	 * @param key the key
	 * @return the held lock, to be closed; empty if another owner holds it
	 * @throws LockUnavailableException if the backend failed
	 */
	default Optional<LockHandle> tryAcquire(String key) {
		return tryAcquire(LockRequest.of(key));
	}

	/**
	 * Acquire a lock if it is available within the wait time of the request, or
	 * immediately where it sets none.
	 * @param request what to lock and how
	 * @return the held lock, to be closed; empty if others held it for the whole time
	 * @throws LockUnavailableException if the backend failed
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire a lock without blocking the calling thread. Cancelling the future gives up
	 * the wait, and gives back a lock that was acquired meanwhile.
	 * @param request what to lock and how
	 * @return completes with the held lock, on a thread of the template's executor; fails
	 * with what {@link #acquire(LockRequest)} throws
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * As {@link #tryAcquire(LockRequest)}, without blocking the calling thread.
	 * @param request what to lock and how
	 * @return completes with the held lock or empty, on a thread of the template's
	 * executor
	 */
	CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request);

	/**
	 * Run asynchronous work under a lock, without blocking the calling thread. The lock
	 * is held until the stage that the work returned has completed.
	 * @param <T> the type of the result
	 * @param request what to lock and how
	 * @param work starts the work, on a thread of the template's executor
	 * @return completes as the work does, after the lock was given back; fails with what
	 * {@link #acquire(LockRequest)} throws. Cancelling it before the work has started
	 * gives up the wait.
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work) {
		return executeAsync(request, work, CompletableFuture::failedFuture);
	}

	/**
	 * Run asynchronous work under a lock, or other work if there is no lock, without
	 * blocking the calling thread. The lock is held until the stage that the work
	 * returned has completed. Both find the locks that the calling code has, and both are
	 * started on a thread of the template's executor.
	 * @param <T> the type of the result
	 * @param request what to lock and how
	 * @param work starts the work
	 * @param otherwise starts what runs without the lock; it is given what
	 * {@link #acquire(LockRequest)} throws
	 * @return completes as the work does, after the lock was given back, or as what ran
	 * instead. Completing it before the work has started, as by
	 * {@link CompletableFuture#cancel} or {@link CompletableFuture#orTimeout}, gives up
	 * the wait, and nothing is run.
	 */
	<T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work,
			Function<? super LockException, ? extends CompletionStage<T>> otherwise);

	/**
	 * Return a view of a key's lock for code that knows {@link Lock}. {@link Lock#lock()}
	 * waits without end, and {@link Lock#unlock()} must be called on the thread that
	 * locked. Conditions are not supported.
	 * @param request what to lock and how; its wait time is not used
	 * @return the view, which may be shared between threads
	 */
	Lock asLock(LockRequest request);

	/**
	 * Return a view of a key's read and write locks for code that knows
	 * {@link ReadWriteLock}. Each behaves as {@link #asLock} says. Whoever holds the
	 * write lock may take the read lock too; taking the write lock with the read lock
	 * held fails with an {@link IllegalStateException} instead of waiting for itself.
	 * @param request what to lock and how; its wait time and its type are not used
	 * @return the view, which may be shared between threads
	 */
	default ReadWriteLock asReadWriteLock(LockRequest request) {
		Lock read = asLock(request.withType(LockType.READ));
		Lock write = asLock(request.withType(LockType.WRITE));
		return new ReadWriteLock() {

			@Override
			public Lock readLock() {
				return read;
			}

			@Override
			public Lock writeLock() {
				return write;
			}

		};
	}

	/**
	 * Check that a request can be served, without asking the backend: its provider
	 * exists, is capable of what the request needs, and can keep a lease of its length.
	 * @param request what would be asked for
	 * @throws IllegalArgumentException if not, with what is missing and what can be done
	 */
	void check(LockRequest request);

}
