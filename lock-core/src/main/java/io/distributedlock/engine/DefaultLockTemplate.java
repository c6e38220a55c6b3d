package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOutcome;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockedCall;
import io.distributedlock.engine.internal.acquire.Acquirer;
import io.distributedlock.engine.internal.acquire.AsyncWork;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.handle.EngineHandle;
import io.distributedlock.engine.internal.handle.HandleReleases;
import io.distributedlock.engine.internal.key.Acquisition;
import io.distributedlock.engine.internal.key.AcquisitionOutcome;
import io.distributedlock.engine.internal.key.BackendAccess;
import io.distributedlock.engine.internal.key.CallsUnderWay;
import io.distributedlock.engine.internal.key.KeyLocks;
import io.distributedlock.engine.internal.key.OutageWatch;
import io.distributedlock.engine.internal.lease.Extension;
import io.distributedlock.engine.internal.lease.HandOver;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.monitor.Activities;
import io.distributedlock.engine.internal.monitor.HeldLockMonitor;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Callbacks;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.event.LockActivity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link LockTemplate} over one or more {@link io.distributedlock.spi.LockProvider
 * providers}. Thread-safe. One instance serves a whole application; close it before the
 * providers.
 *
 * @since 0.1
 */
public final class DefaultLockTemplate implements LockTemplate, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(DefaultLockTemplate.class);

	/**
	 * How soon a shutdown goes on after the last release.
	 */
	private static final long IDLE_CHECK_NANOS = 10_000_000;

	private final LockAttempts attempts;

	private final EngineRuntime runtime;

	final Timers timers;

	final ProviderCalls providerCalls;

	final KeyLocks keys = new KeyLocks();

	final CallsUnderWay calls = new CallsUnderWay();

	private final OutageWatch outages;

	final LeaseKeeper keeper;

	final LeaseReleaser releaser;

	private final HandleReleases handleReleases;

	private final Acquirer acquirer;

	private final Backends backends;

	DefaultLockTemplate(LockTemplateBuilder builder, EngineRuntime runtime) {
		this.attempts = new LockAttempts(builder);
		this.runtime = runtime;
		this.timers = new Timers(this.runtime);
		this.providerCalls = new ProviderCalls(this.runtime, this.timers, builder.commandTimeout);
		Listeners listeners = new Listeners(this.runtime, builder.listeners);
		Callbacks callbacks = new Callbacks(this.runtime, builder.callerContext);
		// where time is not the JVM's, nobody waits for a warning
		HeldLockMonitor monitor = new HeldLockMonitor(this.runtime, this.timers, this.calls, builder.warnAfter,
				builder.runtime == null);
		this.keeper = new LeaseKeeper(this.runtime, this.timers, this.providerCalls, listeners, callbacks,
				monitor::plan, this::releaseAbandoned);
		this.releaser = new LeaseReleaser(this.runtime, this.timers, this.providerCalls, this.keeper, listeners,
				new HandOver(this.runtime, builder.handOverWindow, builder.handOverLimit,
						!builder.interopPolling.isZero()));
		this.outages = new OutageWatch(this.runtime, this.timers, this.providerCalls, this.calls, listeners);
		this.handleReleases = new HandleReleases(this.runtime, this.providerCalls, callbacks, listeners, this.releaser,
				new Extension(this.runtime, this.providerCalls, this.keeper), builder.asyncRelease);
		BackendAccess access = new BackendAccess(this.runtime, this.timers, this.providerCalls, this.outages,
				builder.pollNanos(), builder.interopPolling);
		Acquisition.Shared shared = new Acquisition.Shared(this.runtime, this.timers, this.providerCalls, access,
				this.keys, this.calls, this.keeper, this.releaser, listeners);
		this.acquirer = new Acquirer(shared, List.copyOf(builder.observers), callbacks, this.handleReleases);
		this.backends = new Backends(new LinkedHashMap<>(builder.providers), this.runtime, this.providerCalls,
				this.releaser, this.calls::isClosed);
	}

	private void releaseAbandoned(HeldLock lock) {
		this.releaser.release(lock, true);
	}

	/**
	 * Return a new builder.
	 * @return a builder with the documented defaults
	 */
	public static LockTemplateBuilder builder() {
		return new LockTemplateBuilder();
	}

	/**
	 * Return the full keys of a request: what the backend sees, with prefix and name.
	 * @param request the request
	 * @return the full keys, one for each key of the request and in its order
	 */
	public List<String> fullKeys(LockRequest request) {
		return this.attempts.fullKeys(request);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCall<T, E> work)
			throws E {
		return call(acquire(request), work);
	}

	@Override
	public <T, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockedCall<? extends @Nullable T, E> work) throws E {
		LockHandle handle = this.acquirer.acquire(this.attempts.trying(request), false);
		return (handle != null) ? new LockOutcome<>(true, call(handle, work)) : new LockOutcome<>(false, null);
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		return Objects.requireNonNull(this.acquirer.acquire(this.attempts.waiting(request), true),
				"throws without a lock");
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.ofNullable(this.acquirer.acquire(this.attempts.trying(request), false));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return start(() -> this.attempts.waiting(request), true, Optional::orElseThrow, new CompletableFuture<>(),
				false);
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request) {
		return start(() -> this.attempts.trying(request), false, (handle) -> handle.map(LockHandle.class::cast),
				new CompletableFuture<>(), false);
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work,
			Function<? super LockException, ? extends CompletionStage<T>> otherwise) {
		CompletableFuture<T> result = new CompletableFuture<>();
		AsyncWork<T> started = new AsyncWork<>(LockContext.capture(), work, otherwise, result);
		CompletableFuture<LockHandle> acquired = new CompletableFuture<>();
		acquired.whenComplete(started::start);
		// cancelled, or completed by the user or a time-out
		result.whenComplete((ignored, failure) -> acquired.cancel(false));
		start(() -> this.attempts.waiting(request), true, Optional::orElseThrow, acquired, true);
		return result;
	}

	/**
	 * As {@link Acquirer#start}; also a request that is refused fails the future.
	 */
	private <R> CompletableFuture<R> start(Supplier<List<LockAttempt>> asked, boolean orThrow,
			Function<Optional<EngineHandle>, R> toResult, CompletableFuture<R> future, boolean forWork) {
		try {
			this.acquirer.start(asked.get(), orThrow, toResult, future, forWork);
		}
		catch (Throwable ex) {
			future.completeExceptionally(ex);
		}
		return future;
	}

	@Override
	public void check(LockRequest request) {
		this.attempts.check(request);
	}

	@Override
	public Lock asLock(LockRequest request) {
		return new LockView(request, this);
	}

	/**
	 * Return what asks the backends directly: whether they answer, and who has a key.
	 * @return the backends of the providers of this template
	 */
	public Backends backends() {
		return this.backends;
	}

	/**
	 * Return what this template holds now, and which of its calls wait. For displays and
	 * gauges; the cost is proportional to the number of locks.
	 * @return the activity of this JVM; other instances are not asked
	 */
	public LockActivity activity() {
		return Activities.of(this.keeper, this.calls, this.keys, this.runtime.nanoTime());
	}

	/**
	 * Prepare for a shutdown: let the holders finish, and nobody else begin. Calls that
	 * wait, and new ones, fail with
	 * {@link io.distributedlock.LockNotAcquiredException.Reason#CLOSED}. A caller that
	 * holds a lock may acquire more, as it has to finish its work. Leases are renewed as
	 * before.
	 * @return completes when no lock is held any more, which may be never, the attempts
	 * of ended calls are answered, and no release is tried again; on a thread for
	 * callbacks
	 */
	public CompletableFuture<@Nullable Void> drain() {
		CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
		// each on a thread of its own: a provider that blocks delays no other call
		this.calls.drain().forEach((call) -> this.runtime.execute(() -> call.end(AcquisitionOutcome.CLOSED)));
		completeWhen(() -> this.calls.underWay() == 0 && this.keeper.size() == 0 && this.releaser.isIdle(), drained,
				(end) -> this.runtime.callBack(end, null));
		return drained;
	}

	/**
	 * Let calls begin again after {@link #drain()}.
	 */
	public void resume() {
		this.calls.resume();
	}

	private void completeWhen(BooleanSupplier idle, CompletableFuture<@Nullable Void> end, Executor thread) {
		if (idle.getAsBoolean()) {
			thread.execute(() -> end.complete(null));
		}
		else if (!end.isDone()) {
			this.timers.stepAt(this.runtime.nanoTime() + IDLE_CHECK_NANOS, () -> completeWhen(idle, end, thread));
		}
	}

	/**
	 * Cancel the calls that wait, which fail with
	 * {@link io.distributedlock.LockNotAcquiredException.Reason#CLOSED}, stop renewing,
	 * tell the holders that their locks are lost, and release these locks. Waits for that
	 * at most the command time-out. A lock that an attempt under way brings later is
	 * released as long as its provider is open: {@link #drain()} waits for that. Does not
	 * close the providers.
	 */
	@Override
	public void close() {
		try {
			endAll();
		}
		finally {
			this.releaser.end();
			this.timers.close();
			this.runtime.close();
		}
	}

	private void endAll() {
		// each step on a thread of its own: a provider that blocks delays no other
		List<CompletableFuture<?>> steps = new ArrayList<>();
		this.calls.close().forEach((call) -> steps.add(onThreadOfEngine(() -> {
			call.end(AcquisitionOutcome.CLOSED);
			return CompletableFuture.completedFuture(null);
		})));
		this.keeper.stop().forEach((lock) -> steps.add(onThreadOfEngine(() -> this.releaser.release(lock, true))));
		this.outages.close();
		// releases that other threads have begun
		steps.addAll(this.releaser.close());
		CompletableFuture<@Nullable Void> released = this.providerCalls.expect();
		completeWhen(this.releaser::isIdle, released, Runnable::run);
		steps.add(released);
		CompletableFuture<@Nullable Boolean> ended = CompletableFuture.allOf(steps.toArray(CompletableFuture<?>[]::new))
			.<@Nullable Boolean>handle((done, failure) -> failure == null);
		if (!Boolean.TRUE.equals(this.handleReleases.awaitUninterruptibly(ended))) {
			logger.warn("Not every lock could be released at close; the others end with their leases");
		}
	}

	/**
	 * Run a step that a provider may block.
	 * @return completes within the command time-out
	 */
	private CompletableFuture<?> onThreadOfEngine(Supplier<CompletableFuture<@Nullable Void>> step) {
		return this.providerCalls.askOnThread(step, (late) -> {
		});
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
			// this thread may have been paused for longer than the lease
			handle.ensureHeld();
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

}
