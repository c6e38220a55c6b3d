package io.distributedlock.engine.internal.lease;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a hold goes on, and who wants to be told if it is lost. A hold ends once: it is
 * released or lost, and never both. Thread-safe.
 */
final class HoldState {

	private static final AtomicReferenceFieldUpdater<HoldState, State> STATE = AtomicReferenceFieldUpdater
		.newUpdater(HoldState.class, State.class, "state");

	private volatile State state = State.GRANTED;

	boolean isHeld() {
		return this.state.held;
	}

	boolean isReleased() {
		State now = this.state;
		return !now.held && now.loss == null;
	}

	/**
	 * Return how the hold was lost, {@code null} if it was not.
	 */
	@Nullable LockLostException loss() {
		return this.state.loss;
	}

	/**
	 * Begin the hold: somebody is told of a loss from now on.
	 * @return {@code false} if it was lost before, or has begun
	 */
	boolean begin() {
		return STATE.compareAndSet(this, State.GRANTED, State.HELD);
	}

	/**
	 * End the hold because its holders have left. Callbacks may still be added and
	 * removed; they are not called.
	 * @return {@code false} if it had ended before, or nobody had the lock yet
	 */
	boolean release() {
		return STATE.getAndUpdate(this, (now) -> now.held ? State.RELEASED : now).hasHolder();
	}

	/**
	 * End the hold although its holders have not left.
	 * @return the callbacks to call; {@code null} if it had ended before, or nobody had
	 * the lock yet
	 */
	@Nullable List<Consumer<LockLostException>> lose(LockLostException exception) {
		State lost = new State(false, exception, List.of());
		State before = STATE.getAndUpdate(this, (now) -> now.held ? lost : now);
		return before.hasHolder() ? before.callbacks : null;
	}

	/**
	 * Add a callback for a loss.
	 * @param callback an object that was not added before
	 * @return the loss if it has happened already, so that the caller calls back
	 */
	@Nullable LockLostException onLost(Consumer<LockLostException> callback) {
		return STATE.getAndUpdate(this, (now) -> now.held ? now.with(callback) : now).loss;
	}

	void remove(Consumer<LockLostException> callback) {
		STATE.updateAndGet(this, (now) -> now.held ? now.without(callback) : now);
	}

	private record State(boolean held, @Nullable LockLostException loss, List<Consumer<LockLostException>> callbacks) {

		private static final State GRANTED = new State(true, null, List.of());

		private static final State HELD = new State(true, null, List.of());

		private static final State RELEASED = new State(false, null, List.of());

		// it has the same value as another constant
		@SuppressWarnings("ReferenceEquality")
		private boolean hasHolder() {
			return this.held && this != GRANTED;
		}

		private State with(Consumer<LockLostException> callback) {
			return new State(true, null, Stream.concat(this.callbacks.stream(), Stream.of(callback)).toList());
		}

		private State without(Consumer<LockLostException> callback) {
			return new State(true, null, this.callbacks.stream().filter((each) -> each != callback).toList());
		}

	}

}
