package io.distributedlock.spi.support;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;
import org.jspecify.annotations.Nullable;

/**
 * For providers: a place in the queue of a backend that sends a signal when somebody in
 * front of the place has gone. The place looks whether it is at the front when it has
 * been taken, at each signal, and when the engine polls; one look at a time. A subclass
 * says how to look and how to remove the place. This class keeps the outcome, and says
 * what a look that fails means. Thread-safe.
 * <p>
 * A signal that comes during a look causes one more look. If that look fails, the next
 * poll looks again.
 *
 * @since 0.1
 */
public abstract class WatchingPlace implements LockQueue.Place {

	private final AtomicBoolean over = new AtomicBoolean();

	private final CompletableFuture<@Nullable Lease> outcome = new CompletableFuture<>();

	private final QuestionState question = new QuestionState();

	private final Function<Throwable, ? extends Throwable> errors;

	/**
	 * Whether the backend has confirmed once that others are in front.
	 */
	private volatile boolean confirmed;

	/**
	 * Whether the last look has found others in front.
	 */
	private volatile boolean behindOthers;

	/**
	 * Create a place that is not taken yet.
	 * @param errors says what a failure of the client means
	 */
	protected WatchingPlace(Function<Throwable, ? extends Throwable> errors) {
		this.errors = errors;
	}

	/**
	 * Return how an attempt ends that does not wait.
	 * @return completes with the lease, or {@code null} if others are in front
	 */
	public final CompletionStage<@Nullable Lease> attempt() {
		return this.outcome;
	}

	@Override
	@SuppressWarnings("NullAway") // only an attempt that does not wait ends without lease
	public final CompletionStage<Lease> granted() {
		return this.outcome.thenApply((lease) -> lease);
	}

	@Override
	public void lookAgain() {
		poll();
	}

	@Override
	public final boolean isBehindOthers() {
		return this.behindOthers;
	}

	@Override
	public final void leave() {
		end(null, new CancellationException("the place was left"), this::remove);
	}

	/**
	 * Return whether the backend has answered that the place is taken. Before that, polls
	 * are ignored.
	 * @return {@code true} if there is a place to look at; by default always
	 */
	protected boolean isTaken() {
		return true;
	}

	/**
	 * Look whether the place is at the front, and say so by {@link #grant},
	 * {@link #stayBehindOthers} or {@link #giveUp}. Must not block.
	 * @return completes when the answer has been dealt with; fails if the backend did not
	 * answer. Must complete, after the command time-out at the latest: until then polls
	 * are ignored
	 */
	protected abstract CompletionStage<?> look();

	/**
	 * Remove the place on the backend, if it is taken. Returns without waiting for the
	 * backend. A place that is taken after that must remove itself.
	 */
	protected abstract void remove();

	/**
	 * Stop watching those in front, if it does: the place is granted, was left or has
	 * failed.
	 */
	protected void stopWatching() {
	}

	/**
	 * Look, unless a look is under way: its answer is as good.
	 */
	protected final void poll() {
		if (isTaken() && !isOver() && this.question.begin()) {
			lookNow();
		}
	}

	/**
	 * Look because somebody in front may have gone, also if a look is under way: the
	 * backend may have answered it before.
	 */
	protected final void onSignal() {
		if (this.question.signal()) {
			poll();
		}
	}

	private void lookNow() {
		CompletionStage<?> looked;
		try {
			looked = look();
		}
		catch (Throwable ex) {
			looked = CompletableFuture.failedFuture(ex);
		}
		looked.whenComplete((done, failure) -> {
			try {
				if (failure != null) {
					onLookFailed(failure);
				}
			}
			finally {
				if (this.question.end()) {
					poll();
				}
			}
		});
	}

	/**
	 * Return whether the place is granted, was left or has failed.
	 * @return {@code true} if nothing changes its outcome any more
	 */
	protected final boolean isOver() {
		return this.over.get();
	}

	/**
	 * Return whether the backend has confirmed once that others are in front.
	 * @return {@code true} if the place has waited
	 */
	protected final boolean isConfirmed() {
		return this.confirmed;
	}

	/**
	 * End with a lease.
	 * @param lease the lease
	 * @return {@code false} if the place was over, so that the lease is nobody's
	 */
	protected final boolean grant(Lease lease) {
		return end(lease, null, () -> {
		});
	}

	/**
	 * End an attempt that does not wait: others are in front.
	 */
	protected final void refuse() {
		end(null, null, this::remove);
	}

	/**
	 * Note that the backend has confirmed that others are in front. Call it before
	 * watching them.
	 */
	protected final void stayBehindOthers() {
		this.confirmed = true;
		this.behindOthers = true;
	}

	/**
	 * Deal with a failure to find out whether the place is at the front. A place that the
	 * backend has confirmed stays for a while, so after a failure that may pass the next
	 * look may find it.
	 * @param failure the failure of the client
	 */
	protected final void onLookFailed(Throwable failure) {
		this.behindOthers = false;
		Throwable translated = this.errors.apply(failure);
		boolean mayPass = translated instanceof BackendException backendFailure && backendFailure.isRetryable();
		if (!mayPass || !this.confirmed) {
			giveUp(translated);
		}
	}

	/**
	 * Fail, and remove the place; unless it is granted, so that it belongs to its holder,
	 * or was left, so that it is removed already.
	 * @param failure the failure of the client
	 */
	protected final void giveUp(Throwable failure) {
		end(null, this.errors.apply(failure), this::remove);
	}

	/**
	 * Fail, where there is nothing to remove.
	 * @param failure the failure of the client
	 * @return {@code false} if the place was over
	 */
	protected final boolean fail(Throwable failure) {
		return end(null, this.errors.apply(failure), () -> {
		});
	}

	/**
	 * End, once, and say so when nothing is left: who is told may ask again.
	 */
	private boolean end(@Nullable Lease lease, @Nullable Throwable failure, Runnable removal) {
		if (!this.over.compareAndSet(false, true)) {
			return false;
		}
		try {
			removal.run();
			stopWatching();
		}
		finally {
			Failures.settle(this.outcome, lease, failure);
		}
		return true;
	}

}
