package io.distributedlock.spi.support;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A place in a queue that the backend keeps as data. The backend grants a place only when
 * it is asked, so this class asks: when the place is taken, at each signal of a release,
 * and when the engine polls. It asks one question at a time, see {@link QuestionState}.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 *
 * @since 0.1
 */
public final class AskingPlace implements LockQueue.Place {

	private static final Logger logger = LoggerFactory.getLogger(AskingPlace.class);

	private final Supplier<CompletionStage<@Nullable Lease>> question;

	private final Runnable leaving;

	private final @Nullable Function<Runnable, ReleaseSignal.Subscription> signals;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	private final QuestionState questionState = new QuestionState();

	private final AtomicBoolean left = new AtomicBoolean();

	private final AtomicReference<ReleaseSignal.@Nullable Subscription> subscription = new AtomicReference<>();

	/**
	 * Whether the backend has ever confirmed the place.
	 */
	private volatile boolean confirmed;

	/**
	 * Whether the last answer was that others are in front.
	 */
	private volatile boolean behindOthers;

	private AskingPlace(Supplier<CompletionStage<@Nullable Lease>> question, Runnable leaving,
			@Nullable Function<Runnable, ReleaseSignal.Subscription> signals) {
		this.question = question;
		this.leaving = leaving;
		this.signals = signals;
	}

	/**
	 * Take a place.
	 * @param question asks the backend for the lock on behalf of the place. The first
	 * question adds the place to the queue, and each one keeps it there for a while.
	 * Completes with the lease, or with {@code null} if others are in front; fails with
	 * {@link BackendException}. Must end within the command time-out, since the next
	 * question waits for it
	 * @param leaving removes the place from the queue, and releases the lease if it was
	 * granted meanwhile; returns without waiting
	 * @param signals listens for releases; {@code null} if there are none
	 * @return the place, which has begun its first question
	 */
	public static AskingPlace take(Supplier<CompletionStage<@Nullable Lease>> question, Runnable leaving,
			@Nullable Function<Runnable, ReleaseSignal.Subscription> signals) {
		AskingPlace place = new AskingPlace(question, leaving, signals);
		place.granted.whenComplete((lease, failure) -> place.stopListening());
		place.lookAgain();
		return place;
	}

	@Override
	public CompletionStage<Lease> granted() {
		return this.granted;
	}

	@Override
	public void lookAgain() {
		if (this.left.get() || this.granted.isDone() || !this.questionState.begin()) {
			return;
		}
		CompletionStage<@Nullable Lease> answer;
		try {
			answer = Objects.requireNonNull(this.question.get(), "a question was answered with no stage");
		}
		catch (Throwable ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		AtomicBoolean answered = new AtomicBoolean();
		answer.whenComplete((lease, failure) -> {
			if (answered.compareAndSet(false, true)) {
				onAnswer(lease, failure);
			}
		});
	}

	private void onAnswer(@Nullable Lease lease, @Nullable Throwable failure) {
		try {
			if (failure != null) {
				onFailure(failure);
			}
			else if (lease != null) {
				onLease(lease);
			}
			else {
				this.confirmed = true;
				this.behindOthers = true;
				listen();
			}
		}
		finally {
			if (this.questionState.end()) {
				lookAgain();
			}
		}
	}

	@Override
	public boolean isBehindOthers() {
		return this.behindOthers;
	}

	@Override
	public void leave() {
		if (!this.granted.isDone() && this.left.compareAndSet(false, true)) {
			stopListening();
			this.leaving.run();
		}
	}

	private void onSignal() {
		if (this.questionState.signal()) {
			lookAgain();
		}
	}

	private void onLease(Lease lease) {
		if (this.left.get() || !this.granted.complete(lease)) {
			lease.release();
		}
	}

	private void onFailure(Throwable failure) {
		this.behindOthers = false;
		Throwable cause = Failures.unwrap(failure);
		boolean mayPass = cause instanceof BackendException backendFailure && backendFailure.isRetryable();
		// a place that the backend has confirmed stays in the queue for a while: the next
		// question may find it there
		if (!mayPass || !this.confirmed) {
			leave();
			this.granted.completeExceptionally(cause);
		}
	}

	private void listen() {
		if (this.signals == null || this.subscription.get() != null) {
			return;
		}
		ReleaseSignal.Subscription listening;
		try {
			listening = this.signals.apply(this::onSignal);
		}
		catch (RuntimeException ex) {
			logger.warn("There is no signal of releases; a place in a queue asks at intervals", ex);
			return;
		}
		if (!this.subscription.compareAndSet(null, listening)) {
			listening.close();
		}
		else if (this.left.get() || this.granted.isDone()) {
			stopListening();
		}
	}

	private void stopListening() {
		ReleaseSignal.Subscription current = this.subscription.getAndSet(null);
		if (current != null) {
			current.close();
		}
	}

}
