package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * What all calls of one template share.
 *
 * @param gate the queues of this JVM
 * @param waiting the calls that wait
 * @param keeper renews leases and watches deadlines
 * @param releaser gives leases back
 * @param scheduler runs the short, non-blocking steps of waiting calls
 * @param callbacks runs what users registered
 * @param pollNanos how long to wait for a signal before asking anyway
 * @param commandTimeout how long a command may take
 * @param onLost is told of every loss
 */
record Engine(LocalGate gate, WaitingCalls waiting, LeaseKeeper keeper, LeaseReleaser releaser,
		ScheduledExecutorService scheduler, Executor callbacks, long pollNanos, Duration commandTimeout,
		Optional<Consumer<LockLostException>> onLost) {

	Future<?> schedule(Runnable step, long delayNanos) {
		try {
			return this.scheduler.schedule(step, Math.max(delayNanos, 0), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// the template is closed, and all waiting calls were ended by that
			return CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * Let a future fail if it is not complete within the command time-out.
	 */
	<T extends @Nullable Object> void bound(CompletableFuture<T> future) {
		if (!future.isDone()) {
			Future<?> limit = schedule(() -> future.completeExceptionally(unanswered()), this.commandTimeout.toNanos());
			future.whenComplete((ignored, failure) -> limit.cancel(false));
		}
	}

	TimeoutException unanswered() {
		return LockErrors.unanswered(this.commandTimeout);
	}

}
