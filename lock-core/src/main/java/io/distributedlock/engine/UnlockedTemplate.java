package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOutcome;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockedCall;
import io.distributedlock.engine.internal.acquire.AsyncWork;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockTemplate} that locks nothing: every call gets a handle at once, whoever
 * else has one, and no backend is asked. For an application whose locks are switched off.
 * The code under a lock finds its handle as usual; the handle has no fencing token, and
 * is never lost. Thread-safe.
 *
 * @since 0.1
 */
public final class UnlockedTemplate implements LockTemplate {

	/**
	 * The provider that its handles name.
	 */
	public static final String PROVIDER = "none";

	/**
	 * Create a template.
	 */
	public UnlockedTemplate() {
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCall<T, E> work)
			throws E {
		UnlockedHandle handle = attached(request);
		try {
			return work.call();
		}
		finally {
			handle.close();
		}
	}

	@Override
	public <T, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockedCall<? extends @Nullable T, E> work) throws E {
		return new LockOutcome<>(true, execute(request, work));
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		return attached(request);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.of(attached(request));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return CompletableFuture.completedFuture(new UnlockedHandle(request));
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request) {
		return CompletableFuture.completedFuture(Optional.of(new UnlockedHandle(request)));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work,
			Function<? super LockException, ? extends CompletionStage<T>> otherwise) {
		CompletableFuture<T> result = new CompletableFuture<>();
		new AsyncWork<>(work, otherwise, result).start(new UnlockedHandle(request), null);
		return result;
	}

	/**
	 * Return a {@link Lock} that never makes anybody wait.
	 */
	@Override
	public Lock asLock(LockRequest request) {
		return new UnlockedView(request);
	}

	@Override
	public void check(LockRequest request) {
		// there is no provider whose limits it could exceed
	}

	private static UnlockedHandle attached(LockRequest request) {
		UnlockedHandle handle = new UnlockedHandle(request);
		LockContext.attach(handle);
		return handle;
	}

	/**
	 * A lock that is none.
	 *
	 * @param request the request
	 */
	private record UnlockedView(LockRequest request) implements Lock {

		@Override
		public void lock() {
			attached(this.request);
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			if (Thread.interrupted()) {
				throw new InterruptedException("Interrupted before the call");
			}
			lock();
		}

		@Override
		public boolean tryLock() {
			lock();
			return true;
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			lockInterruptibly();
			return true;
		}

		@Override
		public void unlock() {
			String key = UnlockedHandle.keyOf(this.request);
			LockContext.capture()
				.innermost((handle) -> handle instanceof UnlockedHandle && handle.key().equals(key))
				.orElseThrow(() -> new IllegalMonitorStateException(
						"Lock '%s' is not held by code on this thread".formatted(key)))
				.close();
		}

		@Override
		public Condition newCondition() {
			throw new UnsupportedOperationException("A distributed lock has no conditions");
		}

	}

}
