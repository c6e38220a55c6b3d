package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOutcome;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LockedCall;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link LockTemplate} over one or more {@link LockProvider providers}. Thread-safe.
 * One instance serves a whole application; close it before the providers.
 *
 * @since 0.1
 */
public final class DefaultLockTemplate implements LockTemplate, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(DefaultLockTemplate.class);

	private final LockAttempts attempts;

	private final Engine engine;

	private final Duration commandTimeout;

	private final ThreadHolds threadHolds = new ThreadHolds();

	private final @Nullable ExecutorService ownCallbacks;

	DefaultLockTemplate(LockTemplateBuilder builder) {
		this.attempts = new LockAttempts(builder);
		this.commandTimeout = builder.commandTimeout;
		ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, daemon("lock-scheduler"));
		scheduler.setRemoveOnCancelPolicy(true);
		scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		Executor callbacks = builder.executor;
		if (callbacks == null) {
			this.ownCallbacks = Executors.newCachedThreadPool(daemon("lock-callback"));
			callbacks = this.ownCallbacks;
		}
		else {
			this.ownCallbacks = null;
		}
		LeaseKeeper keeper = new LeaseKeeper();
		this.engine = new Engine(new LocalGate(), new WaitingCalls(), keeper,
				new LeaseReleaser(keeper, scheduler, this.commandTimeout), scheduler, callbacks,
				builder.pollInterval.toNanos());
	}

	/**
	 * Start to build a template.
	 * @return a builder with the documented defaults
	 */
	public static LockTemplateBuilder builder() {
		return new LockTemplateBuilder();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCall<T, E> work)
			throws E {
		LockAttempt attempt = this.attempts.waiting(request);
		return call(handle(attempt, await(attempt)), work);
	}

	@Override
	public <T, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockedCall<? extends @Nullable T, E> work) throws E {
		LockAttempt attempt = this.attempts.trying(request);
		Handle handle = handleUnlessContended(attempt, await(attempt));
		return (handle != null) ? new LockOutcome<>(true, call(handle, work)) : new LockOutcome<>(false, null);
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		LockAttempt attempt = this.attempts.waiting(request);
		return handle(attempt, await(attempt));
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		LockAttempt attempt = this.attempts.trying(request);
		return Optional.ofNullable(handleUnlessContended(attempt, await(attempt)));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		LockAttempt attempt = this.attempts.waiting(request);
		return start(attempt, (outcome) -> handle(attempt, outcome));
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request) {
		LockAttempt attempt = this.attempts.trying(request);
		return start(attempt, (outcome) -> Optional.ofNullable(handleUnlessContended(attempt, outcome)));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work) {
		CompletableFuture<T> result = new CompletableFuture<>();
		LockAttempt attempt = this.attempts.waiting(request);
		CompletableFuture<Handle> acquired = start(attempt, (outcome) -> handle(attempt, outcome));
		acquired.whenComplete((handle, failure) -> {
			if (handle != null) {
				startWork(handle, work, result);
			}
			else {
				result.completeExceptionally(unwrap(failure));
			}
		});
		result.whenComplete((ignored, failure) -> {
			if (result.isCancelled()) {
				acquired.cancel(false);
			}
		});
		return result;
	}

	@Override
	public Lock asLock(LockRequest request) {
		return new LockView(request, this);
	}

	/**
	 * Cancel the calls that wait, which fail with
	 * {@link io.distributedlock.LockNotAcquiredException.Reason#CLOSED}, stop renewing,
	 * tell the holders that their locks are lost, and give back what they held. Waits for
	 * that at most the command time-out. Does not close the providers.
	 */
	@Override
	public void close() {
		this.engine.waiting().close();
		List<HeldLock> held = this.engine.keeper().stop();
		CompletableFuture<?>[] releases = held.stream()
			.map(this.engine.releaser()::release)
			.toArray(CompletableFuture<?>[]::new);
		Throwable failure = awaitUninterruptibly(CompletableFuture.allOf(releases));
		if (failure != null) {
			logger.warn("Not every lock could be given back at close; what is left ends with its lease: {}",
					failure.toString());
		}
		this.engine.scheduler().shutdownNow();
		if (this.ownCallbacks != null) {
			this.ownCallbacks.shutdown();
		}
	}

	Engine engine() {
		return this.engine;
	}

	ThreadHolds threadHolds() {
		return this.threadHolds;
	}

	/**
	 * Give up the innermost hold that the current thread has on a key.
	 * @return {@code false} if it has none
	 */
	boolean exitOnThread(LockRequest request) {
		LockAttempt attempt = this.attempts.waiting(request);
		HeldLock lock = this.threadHolds.find(attempt.provider(), attempt.key());
		if (lock == null) {
			return false;
		}
		exit(lock, null);
		return true;
	}

	void exit(HeldLock lock, @Nullable Throwable workFailure) {
		if (!leave(lock)) {
			return;
		}
		Throwable failure = awaitUninterruptibly(this.engine.releaser().release(lock));
		if (failure != null) {
			// an answer that never comes must not keep the others of this JVM waiting
			lock.leaveGate();
			LockUnavailableException exception = LockErrors.releaseFailed(lock.attempt(), failure);
			if (workFailure != null) {
				workFailure.addSuppressed(exception);
			}
			logger.warn(exception.getMessage());
		}
	}

	CompletableFuture<@Nullable Void> exitAsync(HeldLock lock) {
		if (!leave(lock)) {
			return CompletableFuture.completedFuture(null);
		}
		return this.engine.releaser().giveBack(lock);
	}

	private boolean leave(HeldLock lock) {
		if (!lock.exit()) {
			return false;
		}
		this.threadHolds.remove(lock);
		// close() gives back everything itself
		return !this.engine.waiting().isClosed();
	}

	private <T extends @Nullable Object, E extends Throwable> T call(Handle handle, LockedCall<T, E> work) throws E {
		Throwable workFailure = null;
		try {
			return work.call();
		}
		catch (Throwable ex) {
			workFailure = ex;
			throw ex;
		}
		finally {
			handle.close(workFailure);
		}
	}

	private <T extends @Nullable Object> void startWork(Handle handle, Supplier<? extends CompletionStage<T>> work,
			CompletableFuture<T> result) {
		CompletionStage<T> stage;
		HeldLock lock = handle.lock();
		boolean bind = this.threadHolds.find(lock.provider(), lock.key()) == null;
		try {
			if (bind) {
				this.threadHolds.push(lock);
			}
			stage = work.get();
		}
		catch (RuntimeException | Error ex) {
			stage = CompletableFuture.failedFuture(ex);
		}
		finally {
			if (bind) {
				this.threadHolds.remove(lock);
			}
		}
		stage.whenComplete((value, failure) -> handle.closeAsync().whenComplete((ignored, never) -> {
			if (failure != null) {
				result.completeExceptionally(unwrap(failure));
			}
			else {
				result.complete(value);
			}
		}));
	}

	private Outcome await(LockAttempt attempt) {
		Outcome reentered = reenter(attempt);
		if (reentered != null) {
			return reentered;
		}
		Acquisition acquisition = new Acquisition(attempt, this.engine);
		Outcome outcome;
		try {
			outcome = acquisition.start().get(longestNanos(attempt), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			outcome = acquisition.abandon(Outcome.UNANSWERED);
		}
		catch (InterruptedException ex) {
			outcome = acquisition.abandon(Outcome.INTERRUPTED);
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("An acquisition ends with an outcome, not with an exception", ex);
		}
		if (outcome.lock() != null) {
			this.threadHolds.push(outcome.lock());
		}
		return outcome;
	}

	private <R> CompletableFuture<R> start(LockAttempt attempt, Function<Outcome, R> toResult) {
		CompletableFuture<R> future = new CompletableFuture<>();
		Outcome reentered = reenter(attempt);
		if (reentered != null) {
			deliver(reentered, toResult, future);
			return future;
		}
		Acquisition acquisition = new Acquisition(attempt, this.engine);
		CompletableFuture<Outcome> result = acquisition.start();
		if (!result.isDone()) {
			Future<?> limit = this.engine.schedule(() -> acquisition.abandon(Outcome.UNANSWERED),
					longestNanos(attempt));
			result.whenComplete((ignored, never) -> limit.cancel(false));
		}
		result.thenAccept((outcome) -> {
			try {
				this.engine.callbacks().execute(() -> deliver(outcome, toResult, future));
			}
			catch (RejectedExecutionException ex) {
				deliver(outcome, toResult, future);
			}
		});
		future.whenComplete((ignored, failure) -> {
			if (future.isCancelled()) {
				acquisition.abandon(Outcome.INTERRUPTED);
			}
		});
		return future;
	}

	private <R> void deliver(Outcome outcome, Function<Outcome, R> toResult, CompletableFuture<R> future) {
		try {
			if (!future.complete(toResult.apply(outcome)) && outcome.lock() != null) {
				exitAsync(outcome.lock());
			}
		}
		catch (LockException ex) {
			future.completeExceptionally(ex);
		}
	}

	private @Nullable Outcome reenter(LockAttempt attempt) {
		if (this.engine.waiting().isClosed()) {
			return Outcome.CLOSED;
		}
		HeldLock lock = this.threadHolds.find(attempt.provider(), attempt.key());
		if (lock == null) {
			return null;
		}
		lock.ensureHeld();
		return lock.enter() ? Outcome.acquired(lock) : null;
	}

	private Handle handle(LockAttempt attempt, Outcome outcome) {
		Handle handle = handleUnlessContended(attempt, outcome);
		if (handle == null) {
			throw LockErrors.contended(attempt);
		}
		return handle;
	}

	private @Nullable Handle handleUnlessContended(LockAttempt attempt, Outcome outcome) {
		return switch (outcome.kind()) {
			case ACQUIRED -> new Handle(outcome.requiredLock(), this);
			case CONTENDED -> null;
			case UNAVAILABLE -> throw LockErrors.unavailable(attempt, outcome.requiredFailure());
			case UNANSWERED -> throw LockErrors.unanswered(attempt, this.commandTimeout);
			case INTERRUPTED -> throw LockErrors.interrupted(attempt);
			case CLOSED -> throw LockErrors.closed(attempt);
		};
	}

	private long longestNanos(LockAttempt attempt) {
		return LockTimes.saturatedNanos(attempt.waitTime()) + this.commandTimeout.toNanos();
	}

	/**
	 * Wait at most the command time-out. An interrupt is noted, and the wait goes on:
	 * what is held is given back first.
	 * @return what failed
	 */
	private @Nullable Throwable awaitUninterruptibly(CompletableFuture<?> release) {
		long deadline = System.nanoTime() + this.commandTimeout.toNanos();
		boolean interrupted = false;
		try {
			while (true) {
				try {
					release.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
					return null;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException ex) {
					return ex.getCause();
				}
				catch (TimeoutException ex) {
					TimeoutException failure = this.engine.releaser().unanswered();
					release.completeExceptionally(failure);
					return failure;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private static ThreadFactory daemon(String name) {
		AtomicLong count = new AtomicLong();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

}
