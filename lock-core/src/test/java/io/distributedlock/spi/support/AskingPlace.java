package io.distributedlock.spi.support;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A place in a queue that the backend keeps as data. The backend grants a place only when
 * it is asked, so this class asks: when the place is taken, at each signal of a release,
 * and when the engine polls. Thread-safe.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 *
 * @since 0.1
 */
public final class AskingPlace extends WatchingPlace {

	private static final Logger logger = LoggerFactory.getLogger(AskingPlace.class);

	private final Supplier<CompletionStage<@Nullable Lease>> question;

	private final Runnable leaving;

	private final @Nullable Function<Runnable, ReleaseSignal.Subscription> signals;

	private final AtomicReference<ReleaseSignal.@Nullable Subscription> subscription = new AtomicReference<>();

	private AskingPlace(Supplier<CompletionStage<@Nullable Lease>> question, Runnable leaving,
			@Nullable Function<Runnable, ReleaseSignal.Subscription> signals) {
		super(Failures::unwrap);
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
		place.poll();
		return place;
	}

	@Override
	protected boolean isTaken() {
		return true;
	}

	@Override
	protected CompletionStage<?> look() {
		// counts one answer, however often the stage gives it
		CompletableFuture<@Nullable Lease> answer = new CompletableFuture<>();
		Objects.requireNonNull(this.question.get(), "a question was answered with no stage")
			.whenComplete(Failures.settling(answer));
		return answer.thenAccept(this::onAnswer);
	}

	private void onAnswer(@Nullable Lease lease) {
		if (lease == null) {
			stayBehindOthers();
			listen();
		}
		else if (!grant(lease)) {
			lease.release();
		}
	}

	@Override
	protected void remove() {
		this.leaving.run();
	}

	private void listen() {
		if (this.signals == null || this.subscription.get() != null) {
			return;
		}
		try {
			ReleaseSignal.Subscription listening = this.signals.apply(this::onSignal);
			if (!this.subscription.compareAndSet(null, listening)) {
				listening.close();
			}
			else if (isOver()) {
				stopWatching();
			}
		}
		catch (Throwable ex) {
			Failures.log(logger::warn, "There is no signal of releases; a place in a queue asks at intervals", ex);
		}
	}

	@Override
	protected void stopWatching() {
		ReleaseSignal.Subscription current = this.subscription.getAndSet(null);
		if (current != null) {
			current.close();
		}
	}

}
