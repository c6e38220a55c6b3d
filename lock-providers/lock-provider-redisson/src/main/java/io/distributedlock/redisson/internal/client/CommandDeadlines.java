package io.distributedlock.redisson.internal.client;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Cancels calls whose answer nobody waits for any more, so that the client neither sends
 * nor repeats them. Calls that are given up at about the same time share a timer, since
 * nearly every call is answered long before. Thread-safe.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 */
public final class CommandDeadlines {

	/**
	 * Calls with the same timer may be cancelled that much too early.
	 */
	private static final long SHARED_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

	/**
	 * Calls that have less time have a timer of their own.
	 */
	private static final long SHORT_NANOS = 20 * SHARED_NANOS;

	/**
	 * The calls by the time at which they are cancelled.
	 */
	private final ConcurrentMap<Long, Set<Call>> calls = new ConcurrentHashMap<>();

	/**
	 * Cancel a call if it is not answered in time.
	 * @param call the call
	 * @param remaining for how long somebody waits for its answer, in nanoseconds
	 */
	public void cancelAfter(CompletableFuture<?> call, long remaining) {
		if (call.isDone()) {
			return;
		}
		if (remaining < SHORT_NANOS) {
			CompletableFuture<?> timer = timer(remaining, () -> call.cancel(false));
			call.whenComplete((answer, failure) -> timer.cancel(false));
			return;
		}
		Long time = Math.floorDiv(System.nanoTime() + remaining, SHARED_NANOS);
		Call mine = new Call(call);
		this.calls.compute(time, (key, others) -> {
			Set<Call> all = (others != null) ? others : begin(time);
			all.add(mine);
			return all;
		});
		call.whenComplete((answer, failure) -> {
			Set<Call> others = this.calls.get(time);
			if (others != null) {
				others.remove(mine);
			}
		});
	}

	/**
	 * Return how many calls are not answered yet, without those that have little time.
	 */
	public int size() {
		return this.calls.values().stream().mapToInt(Set::size).sum();
	}

	private Set<Call> begin(Long time) {
		timer(time * SHARED_NANOS - System.nanoTime(), () -> cancelAll(time));
		return ConcurrentHashMap.newKeySet();
	}

	private void cancelAll(Long time) {
		Set<Call> late = this.calls.remove(time);
		if (late != null) {
			late.forEach((call) -> call.answer.cancel(false));
		}
	}

	private static CompletableFuture<?> timer(long nanos, Runnable task) {
		CompletableFuture<@Nullable Void> timer = new CompletableFuture<@Nullable Void>().completeOnTimeout(null, nanos,
				TimeUnit.NANOSECONDS);
		timer.thenRun(task);
		return timer;
	}

	/**
	 * A call, equal to no other.
	 */
	private static final class Call {

		private final CompletableFuture<?> answer;

		private Call(CompletableFuture<?> answer) {
			this.answer = answer;
		}

	}

}
