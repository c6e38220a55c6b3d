package io.distributedlock.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which calls of a storm end soon.
 */
enum StormCall {

	/**
	 * Does not wait.
	 */
	AT_ONCE {
		@Override
		@Nullable LockHandle call(LockTemplate node, LockRequest request, Duration cycle) {
			return waiting(node, request, Duration.ZERO);
		}
	},

	/**
	 * Waits for less time than most backends need for an answer.
	 */
	LESS_THAN_AN_ANSWER {
		@Override
		@Nullable LockHandle call(LockTemplate node, LockRequest request, Duration cycle) {
			return waiting(node, request, upTo(Duration.ofMillis(1)));
		}
	},

	/**
	 * Waits for up to eight cycles.
	 */
	BRIEFLY {
		@Override
		@Nullable LockHandle call(LockTemplate node, LockRequest request, Duration cycle) {
			return waiting(node, request, upTo(cycle.multipliedBy(8)));
		}
	},

	/**
	 * Would wait for a long time, and is cancelled within three cycles.
	 */
	CANCELLED {
		@Override
		@Nullable LockHandle call(LockTemplate node, LockRequest request, Duration cycle) {
			CompletableFuture<LockHandle> call = node.acquireAsync(request);
			try {
				return call.get(upTo(cycle.multipliedBy(3)).toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (TimeoutException ex) {
				// the lock may have been granted at the same moment
				return call.cancel(false) ? null : call.join();
			}
			catch (ExecutionException ex) {
				throw (ex.getCause() instanceof LockException failure) ? failure : new IllegalStateException(ex);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
	},

	/**
	 * Would wait for a long time, and is interrupted within three cycles.
	 */
	INTERRUPTED {
		@Override
		@Nullable LockHandle call(LockTemplate node, LockRequest request, Duration cycle) {
			CompletableFuture<@Nullable LockHandle> result = new CompletableFuture<>();
			Thread caller = new Thread(() -> {
				try {
					result.complete(node.acquire(request));
				}
				catch (LockNotAcquiredException | LockUnavailableException ex) {
					result.complete(null);
				}
				catch (Throwable ex) {
					result.completeExceptionally(ex);
				}
			}, "kit-interrupted");
			caller.start();
			// a lock that is granted meanwhile is used at once, otherwise its key has no
			// owner inside
			result.copy().completeOnTimeout(null, upTo(cycle.multipliedBy(3)).toNanos(), TimeUnit.NANOSECONDS).join();
			caller.interrupt();
			return KitNodes.get(result);
		}
	};

	/**
	 * Call for a lock.
	 * @param request the request, with a long wait time
	 * @param cycle how long a caller needs that has a key for itself
	 * @return the handle, {@code null} if the lock was not granted
	 */
	abstract @Nullable LockHandle call(LockTemplate node, LockRequest request, Duration cycle);

	private static @Nullable LockHandle waiting(LockTemplate node, LockRequest request, Duration waitTime) {
		return node.tryAcquire(request.withWaitTime(waitTime)).orElse(null);
	}

	private static Duration upTo(Duration longest) {
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(longest.toNanos()));
	}

}
