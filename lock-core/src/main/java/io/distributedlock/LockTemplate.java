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
 * Thread-safe. Methods that take a key as a string use the template's defaults; a
 * {@link LockRequest} sets times, name, type and provider. A call for a key that the
 * calling code holds already re-enters without a call to the backend: code on the thread
 * that acquired it, or with its {@link LockContext}. The lock ends with the work: a
 * transaction should begin inside of it, as one that began before commits later.
 * <p>
 * Each call may also fail as follows. {@link LockNotAcquiredException} says by its reason
 * that the wait was interrupted, which sets the flag of the thread again, or that the
 * template closes. {@link InvalidLockRequestException} and
 * {@link InvalidLockKeyException} say that no provider was asked, as the request cannot
 * be served. {@link LockLostException} says that the lock was lost before the work began.
 *
 * @since 0.1
 */
public interface LockTemplate {

	/**
	 * Run work under the lock of a key and return its result. Waits for the lock at most
	 * the template's default wait time.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the work throws
	 * @param key the key
	 * @param work the work, run at most once
	 * @return the result of the work
	 * @throws E what the work threw; a failed release is added to it as suppressed
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
	 * @throws E what the work threw; a failed release is added to it as suppressed
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
	 * @return whether the lock was acquired, and so the work was run
	 * @throws E what the work threw
	 * @throws LockUnavailableException if the backend failed; the work was not run
	 */
	default <E extends Throwable> boolean tryExecute(String key, LockedAction<E> work) throws E {
		return tryExecute(LockRequest.of(key), work);
	}

	/**
	 * Run work if the lock is available within the wait time of the request, or
	 * immediately if the request sets none.
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
	 * immediately if the request sets none.
	 * @param <E> the type of exception that the work throws
	 * @param request what to lock and how
	 * @param work the work, run at most once
	 * @return whether the lock was acquired, and so the work was run
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
	 * Acquire the lock of a key. Waits at most the template's default wait time.
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
	 * immediately if the request sets none.
	 * @param request what to lock and how
	 * @return the held lock, to be closed; empty if others held it for the whole wait
	 * time
	 * @throws LockUnavailableException if the backend failed
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire a lock without blocking the calling thread. Cancelling the future ends the
	 * wait, and releases a lock that was acquired meanwhile.
	 * @param request what to lock and how
	 * @return completes with the held lock, on a thread of the template's executor, or on
	 * another one if that is busy; fails with what {@link #acquire(LockRequest)} throws
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * As {@link #tryAcquire(LockRequest)}, without blocking the calling thread.
	 * @param request what to lock and how
	 * @return completes as {@link #acquireAsync} does, with the held lock or empty
	 */
	CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request);

	/**
	 * Run asynchronous work under a lock, without blocking the calling thread. The lock
	 * is held until the stage that the work returned has completed.
	 * @param <T> the type of the result
	 * @param request what to lock and how
	 * @param work starts the work, on a thread of the template's executor
	 * @return completes as the work does, after the lock was released; fails with what
	 * {@link #acquire(LockRequest)} throws, or because the executor did not begin the
	 * work within the wait time and one command time-out. Cancelling it before the work
	 * has started ends the wait.
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work) {
		return executeAsync(request, work, CompletableFuture::failedFuture);
	}

	/**
	 * Run asynchronous work under a lock, or other work if there is no lock, without
	 * blocking the calling thread. The lock is held until the stage that the work
	 * returned has completed. Both know the locks that the calling code holds. Both are
	 * started on a thread of the template's executor, the other work on another one if
	 * that is busy.
	 * @param <T> the type of the result
	 * @param request what to lock and how
	 * @param work starts the work
	 * @param otherwise starts the other work; its argument is what
	 * {@link #executeAsync(LockRequest, Supplier)} fails with
	 * @return completes as the work does, after the lock was released, or as the other
	 * work does. Completing it before the work has started, for example by
	 * {@link CompletableFuture#cancel} or {@link CompletableFuture#orTimeout}, ends the
	 * wait, and nothing is run.
	 */
	<T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work,
			Function<? super LockException, ? extends CompletionStage<T>> otherwise);

	/**
	 * Return a view of a key's lock for code that uses {@link Lock}. {@link Lock#lock()}
	 * waits without end while others hold the lock, and throws
	 * {@link LockUnavailableException} in an outage, see
	 * {@link LockRequest#withWaitThroughOutage}. {@link Lock#unlock()} must be called on
	 * the thread that locked. It does not tell that the lock was lost:
	 * {@link LockContext#current()} does. Conditions are not supported.
	 * @param request what to lock and how; its wait time is not used
	 * @return the view, which may be shared between threads
	 */
	Lock asLock(LockRequest request);

	/**
	 * Return a view of a key's read and write locks for code that uses
	 * {@link ReadWriteLock}. Each behaves as {@link #asLock} says. A holder of the write
	 * lock may acquire the read lock too. A holder of the read lock that asks for the
	 * write lock gets an {@link IllegalStateException}, since it would wait for itself.
	 * @param request what to lock and how; its wait time and its type are not used
	 * @return the view, which may be shared between threads
	 */
	default ReadWriteLock asReadWriteLock(LockRequest request) {
		record ReadAndWrite(Lock readLock, Lock writeLock) implements ReadWriteLock {
		}
		return new ReadAndWrite(asLock(request.withType(LockType.READ)), asLock(request.withType(LockType.WRITE)));
	}

	/**
	 * Check that a request can be served, without asking the backend: its provider
	 * exists, has the capabilities that the request needs, and can keep a lease of its
	 * length. Whether it can keep the key is seen at the call.
	 * @param request the request
	 * @throws InvalidLockRequestException if it cannot be served; the message says what
	 * is missing and what to do
	 */
	void check(LockRequest request);

}
