package io.distributedlock.engine.internal.handle;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * What all handles of this engine have in common: how they are closed and extended, and
 * what they tell the engine.
 */
public abstract class EngineHandle implements LockHandle {

	/**
	 * A fiftieth: twice the margin that {@link LeaseTerm} allows for clocks of different
	 * speed.
	 */
	private static final int MARGIN_FRACTION = 50;

	/**
	 * For the precision of expiry, and for the time that the request takes.
	 */
	private static final int MARGIN_MILLIS = 20;

	/**
	 * Callbacks refer to this and not to the handle: a handle that something refers to
	 * counts as in use.
	 */
	final AtomicBoolean closed = new AtomicBoolean();

	final HandleReleases handleReleases;

	EngineHandle(HandleReleases handleReleases) {
		this.handleReleases = handleReleases;
	}

	/**
	 * Return the handles of the locks that were acquired together.
	 */
	abstract List<SingleHandle> handles();

	/**
	 * Leave what this handle stands for. Called once, when it has been marked as closed.
	 * @param used {@code false} if nothing was done under the lock
	 * @return completes, always normally, with what failed
	 */
	abstract CompletableFuture<@Nullable LockUnavailableException> exit(boolean used);

	/**
	 * Return what the first of the locks was asked for with.
	 */
	final LockAttempt attempt() {
		return handles().get(0).lock().attempt();
	}

	/**
	 * Return the lock that an attempt may enter again, if this handle stands for it.
	 */
	public final @Nullable HeldLock reentered(LockAttempt attempt, LeaseKeeper keeper) {
		for (SingleHandle each : handles()) {
			if (!each.isClosed() && each.mayReenter(attempt, keeper)) {
				return each.lock();
			}
		}
		return null;
	}

	/**
	 * Return whether attempts like these gave this handle.
	 */
	public final boolean isFor(List<LockAttempt> attempts, LeaseKeeper keeper) {
		return handles().size() == attempts.size() && attempts.stream()
			.allMatch((attempt) -> handles().stream().anyMatch((each) -> each.isFor(attempt, keeper)));
	}

	/**
	 * Mark the handle as closed, and begin to leave what it stands for.
	 * @param used {@code false} if nothing was done under the lock
	 * @return completes, always normally, with what failed
	 */
	public final CompletableFuture<@Nullable LockUnavailableException> leave(boolean used) {
		if (!this.closed.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		LockContext.detach(this);
		return exit(used);
	}

	@Override
	public final boolean isClosed() {
		return this.closed.get();
	}

	@Override
	public final void close() {
		close(null);
	}

	@Override
	public final void close(@Nullable Throwable workFailure) {
		this.handleReleases.await(this, leave(true), workFailure);
	}

	@Override
	public final CompletableFuture<@Nullable Void> closeAsync() {
		return this.handleReleases.forUser(leave(true));
	}

	@Override
	public final void extend(Duration leaseTime) {
		this.handleReleases.awaitExtension(attempt(), extended(handles(), leaseTime));
	}

	@Override
	public final CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime) {
		return this.handleReleases.forUser(extended(handles(), leaseTime));
	}

	@Override
	public final void ensureAtLeast(Duration duration) {
		ensureHeld();
		List<SingleHandle> ending = endingWithin(duration);
		if (ending.isEmpty()) {
			return;
		}
		this.handleReleases.awaitExtension(attempt(), extended(ending, lengthFor(duration)));
		endingWithin(duration).stream().findFirst().ifPresent((each) -> {
			throw LockErrors.lost(each.attempt(), "only %s are left, and %s are needed"
				.formatted(LockTimes.text(each.remaining()), LockTimes.text(duration)));
		});
	}

	private List<SingleHandle> endingWithin(Duration duration) {
		return handles().stream().filter((each) -> each.remaining().compareTo(duration) < 0).toList();
	}

	/**
	 * Begin to extend locks.
	 * @return completes within the command time-out, on any thread
	 */
	private static CompletableFuture<@Nullable Void> extended(List<SingleHandle> handles, Duration leaseTime) {
		return CompletableFuture
			.allOf(handles.stream().map((each) -> each.startExtension(leaseTime)).toArray(CompletableFuture<?>[]::new))
			.<@Nullable Void>thenApply((done) -> null);
	}

	/**
	 * Return which lease time to ask for, so that a time is left until the local
	 * deadline, which is earlier than the end of the lease.
	 */
	private static Duration lengthFor(Duration duration) {
		Duration wanted = LockTimes.saturated(duration);
		return wanted.plus(wanted.dividedBy(MARGIN_FRACTION)).plusMillis(MARGIN_MILLIS);
	}

}
