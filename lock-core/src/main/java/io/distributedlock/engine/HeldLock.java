package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lease that this JVM has, from the answer of the backend to its release or loss,
 * with the count of re-entrant holders that share it.
 */
final class HeldLock {

	private static final Logger logger = LoggerFactory.getLogger(HeldLock.class);

	private final LockAttempt attempt;

	private final Lease lease;

	private final Turn turn;

	private final Engine engine;

	private final LeaseClock clock;

	private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

	private final AtomicInteger holders = new AtomicInteger(1);

	private final ReentrantLock guard = new ReentrantLock();

	private final List<Consumer<LockLostException>> lossCallbacks = new ArrayList<>(0);

	private @Nullable LockLostException loss;

	/**
	 * What the backend was asked for last: a renewal, or an extension that no renewal may
	 * overtake.
	 */
	private CompletableFuture<?> lastRequest = CompletableFuture.completedFuture(null);

	private int extensions;

	HeldLock(LockAttempt attempt, Lease lease, Turn turn, Engine engine) {
		this.attempt = attempt;
		this.lease = lease;
		this.turn = turn;
		this.engine = engine;
		this.clock = new LeaseClock(attempt, lease.term());
	}

	LockAttempt attempt() {
		return this.attempt;
	}

	String key() {
		return this.attempt.key();
	}

	LockProvider provider() {
		return this.attempt.provider();
	}

	Lease lease() {
		return this.lease;
	}

	LeaseClock clock() {
		return this.clock;
	}

	Engine engine() {
		return this.engine;
	}

	boolean isValid() {
		return this.state.get() == State.HELD && remainingNanos() > 0;
	}

	long remainingNanos() {
		return (this.state.get() == State.HELD) ? Math.max(0, this.clock.deadlineNanos() - System.nanoTime()) : 0;
	}

	/**
	 * Return how long the key is still to be kept though its holders have left.
	 */
	long remainingHoldNanos() {
		long atLeast = this.attempt.holdAtLeast().toNanos();
		return (atLeast == 0) ? 0 : this.lease.term().startNanos() + atLeast - System.nanoTime();
	}

	/**
	 * Count one more holder of the same owner.
	 * @return {@code false} if the last holder has left already
	 */
	boolean enter() {
		return this.holders.getAndUpdate((count) -> (count == 0) ? 0 : count + 1) > 0;
	}

	/**
	 * Count one holder less.
	 * @return {@code true} if it was the last one, who has to release the lease
	 */
	boolean exit() {
		return this.holders.getAndUpdate((count) -> (count == 0) ? 0 : count - 1) == 1;
	}

	/**
	 * Note a renewal that is about to be sent.
	 * @param answer completes with the answer to it
	 * @return {@code false} if it must not be sent, since an extension is under way
	 */
	boolean startRenewal(CompletableFuture<?> answer) {
		this.guard.lock();
		try {
			if (this.extensions > 0) {
				return false;
			}
			this.lastRequest = this.lastRequest.isDone() ? answer
					: CompletableFuture.allOf(this.lastRequest, answer).exceptionally((failure) -> null);
			return true;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Ask the backend for another term, after the answer to what it was asked before: a
	 * renewal that came later would cut the term short.
	 * @param leaseTime how long the lease shall run, for the holder
	 * @return completes with the term, {@code null} if the lease is gone
	 */
	CompletableFuture<@Nullable LeaseTerm> extend(Duration leaseTime) {
		CompletableFuture<@Nullable LeaseTerm> extension;
		this.guard.lock();
		try {
			this.extensions++;
			extension = this.lastRequest.handle((ignored, failure) -> this.lease)
				.thenCompose((granted) -> granted.renew(leaseTime.plus(this.attempt.lockDelay())));
			this.lastRequest = extension;
		}
		finally {
			this.guard.unlock();
		}
		return extension.whenComplete((term, failure) -> {
			if (term != null) {
				this.clock.extended(term, leaseTime);
			}
			this.guard.lock();
			try {
				this.extensions--;
			}
			finally {
				this.guard.unlock();
			}
		});
	}

	/**
	 * End the hold on the caller's demand.
	 * @return {@code false} if it had ended already
	 */
	boolean markReleased() {
		return this.state.compareAndSet(State.HELD, State.RELEASED);
	}

	/**
	 * End the hold against the caller's will, and tell everyone who asked to be told. The
	 * gate opens: other threads of this JVM have the same right to the key as other
	 * nodes.
	 */
	void lose(String reason) {
		if (!this.state.compareAndSet(State.HELD, State.LOST)) {
			return;
		}
		LockLostException exception = LockErrors.lost(this.attempt, reason);
		logger.warn(exception.getMessage());
		List<Consumer<LockLostException>> toTell;
		this.guard.lock();
		try {
			this.loss = exception;
			toTell = List.copyOf(this.lossCallbacks);
		}
		finally {
			this.guard.unlock();
		}
		leaveGate();
		toTell.forEach((callback) -> tell("loss", () -> callback.accept(exception)));
		this.engine.onLost().ifPresent((listener) -> tell("loss", () -> listener.accept(exception)));
	}

	void onLost(Consumer<LockLostException> callback) {
		LockLostException happened;
		this.guard.lock();
		try {
			happened = this.loss;
			if (happened == null) {
				this.lossCallbacks.add(callback);
			}
		}
		finally {
			this.guard.unlock();
		}
		if (happened != null) {
			tell("loss", () -> callback.accept(happened));
		}
	}

	void onExpiring(Duration margin, Runnable callback) {
		this.clock.watch(new ExpiryWatch(LockTimes.saturatedNanos(margin), callback));
		this.engine.keeper().lookAgain();
	}

	/**
	 * Call those who asked to be told that the lease runs short, if it does.
	 */
	void warnOfExpiry(long now) {
		this.clock.dueWatches(now).forEach((watch) -> tell("expiry", () -> {
			if (this.state.get() == State.HELD) {
				watch.callback().run();
			}
		}));
	}

	void ensureHeld() {
		if (!isValid()) {
			State ended = this.state.get();
			String reason = (ended == State.RELEASED) ? "it was given back before" : (ended == State.LOST)
					? "see the cause" : "its lease of %s has ended".formatted(LockTimes.text(this.clock.granted()));
			throw LockErrors.lost(this.attempt, reason, this.loss);
		}
	}

	void leaveGate() {
		this.turn.leave();
	}

	private void tell(String event, Runnable callback) {
		try {
			this.engine.callbacks().execute(() -> {
				try {
					callback.run();
				}
				catch (RuntimeException | Error ex) {
					logger.error("A callback for the {} of lock '{}' failed", event, key(), ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.error("A callback for the {} of lock '{}' was not called: the executor takes no more", event, key(),
					ex);
		}
	}

	private enum State {

		HELD, RELEASED, LOST

	}

}
