package io.distributedlock.engine;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOutcome;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
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

	private final Exits exits;

	private final Acquirer acquirer;

	private final @Nullable ExecutorService ownCallbacks;

	DefaultLockTemplate(LockTemplateBuilder builder) {
		this.attempts = new LockAttempts(builder);
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
				new LeaseReleaser(keeper, scheduler, builder.commandTimeout), scheduler, callbacks,
				builder.pollInterval.toNanos(), builder.commandTimeout, Optional.ofNullable(builder.lossListener));
		this.exits = new Exits(this.engine);
		this.acquirer = new Acquirer(this.engine, this.exits);
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
		return call(acquire(request), work);
	}

	@Override
	public <T, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockedCall<? extends @Nullable T, E> work) throws E {
		LockHandle handle = this.acquirer.tryAcquire(this.attempts.trying(request));
		return (handle != null) ? new LockOutcome<>(true, call(handle, work)) : new LockOutcome<>(false, null);
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		return this.acquirer.acquire(this.attempts.waiting(request));
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.ofNullable(this.acquirer.tryAcquire(this.attempts.trying(request)));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return this.acquirer.acquireAsync(this.attempts.waiting(request));
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request) {
		return this.acquirer.tryAcquireAsync(this.attempts.trying(request));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work) {
		CompletableFuture<T> result = new CompletableFuture<>();
		CompletableFuture<LockHandle> acquired = acquireAsync(request);
		acquired.whenComplete((handle, failure) -> {
			if (handle != null) {
				startWork(handle, work, result);
			}
			else {
				result.completeExceptionally(LockErrors.unwrap(failure));
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
	public void check(LockRequest request) {
		this.attempts.waiting(request);
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
		held.forEach(this.engine.releaser()::release);
		// with those that other threads have begun
		CompletableFuture<?>[] releases = this.engine.releaser().pending().toArray(CompletableFuture<?>[]::new);
		Throwable failure = this.exits.awaitUninterruptibly(CompletableFuture.allOf(releases));
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

	/**
	 * Close the innermost handle that the current thread has for a request.
	 * @return {@code false} if it has none
	 */
	boolean closeOnThread(LockRequest request) {
		return this.acquirer.closeOnThread(this.attempts.waiting(request));
	}

	private <T extends @Nullable Object, E extends Throwable> T call(LockHandle handle, LockedCall<T, E> work)
			throws E {
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

	private <T extends @Nullable Object> void startWork(LockHandle handle, Supplier<? extends CompletionStage<T>> work,
			CompletableFuture<T> result) {
		CompletionStage<T> stage;
		try {
			stage = LockContext.capture().with(handle).call(work::get);
		}
		catch (RuntimeException | Error ex) {
			stage = CompletableFuture.failedFuture(ex);
		}
		stage.whenComplete((value, failure) -> handle.closeAsync().whenComplete((ignored, never) -> {
			if (failure != null) {
				result.completeExceptionally(LockErrors.unwrap(failure));
			}
			else {
				result.complete(value);
			}
		}));
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
