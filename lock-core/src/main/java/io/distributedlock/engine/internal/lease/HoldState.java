package io.distributedlock.engine.internal.lease;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockLostException;
import io.distributedlock.engine.internal.runtime.Bag;
import org.jspecify.annotations.Nullable;

/**
 * Whether a hold goes on, and who wants to be told if it is lost. A hold ends once: it is
 * released or lost, and never both. Thread-safe.
 */
abstract class HoldState extends Bag.Member {

	private static final AtomicReferenceFieldUpdater<HoldState, State> STATE = AtomicReferenceFieldUpdater
		.newUpdater(HoldState.class, State.class, "state");

	private volatile State state = State.GRANTED;

	/**
	 * Return whether the lock is neither released nor lost. Its local deadline may have
	 * passed, and the keeper not have noticed yet.
	 */
	public boolean isHeld() {
		return this.state.held;
	}

	boolean isReleased() {
		State now = this.state;
		return !now.held && now.loss == null;
	}

	/**
	 * Return how the hold was lost, {@code null} if it was not.
	 */
	public @Nullable LockLostException loss() {
		return this.state.loss;
	}

	/**
	 * Begin the hold: somebody is told of a loss from now on.
	 * @return {@code false} if it was lost before, or has begun
	 */
	public boolean begin() {
		return STATE.compareAndSet(this, State.GRANTED, State.HELD);
	}

	/**
	 * End the hold because its holders have left. Callbacks may still be added and
	 * removed; they are not called.
	 * @return {@code false} if it had ended before, or nobody had the lock yet
	 */
	public boolean markReleased() {
		return STATE.getAndUpdate(this, (now) -> now.held ? State.RELEASED : now).hasHolder();
	}

	/**
	 * End the hold although its holders have not left.
	 * @return the callbacks to call; {@code null} if it had ended before, or nobody had
	 * the lock yet
	 */
	@Nullable List<LossCallback> markLost(LockLostException exception) {
		State lost = new State(false, exception, List.of());
		State before = STATE.getAndUpdate(this, (now) -> now.held ? lost : now);
		return before.hasHolder() ? before.callbacks : null;
	}

	/**
	 * Add a callback for a loss.
	 * @return the loss if it has happened already, so that the caller calls back
	 */
	@Nullable LockLostException onLost(LossCallback callback) {
		return STATE.getAndUpdate(this, (now) -> now.held ? now.with(callback) : now).loss;
	}

	/**
	 * Remove the callbacks of a handle that is closed.
	 */
	void forget(AtomicBoolean closed) {
		if (!this.state.callbacks.isEmpty()) {
			STATE.updateAndGet(this, (now) -> now.held ? now.without(closed) : now);
		}
	}

	/**
	 * A callback for a loss.
	 *
	 * @param closed whether the handle is closed for which it was registered
	 */
	record LossCallback(AtomicBoolean closed, Consumer<LockLostException> action) {
	}

	private record State(boolean held, @Nullable LockLostException loss, List<LossCallback> callbacks) {

		private static final State GRANTED = new State(true, null, List.of());

		private static final State HELD = new State(true, null, List.of());

		private static final State RELEASED = new State(false, null, List.of());

		// it has the same value as another constant
		@SuppressWarnings("ReferenceEquality")
		private boolean hasHolder() {
			return this.held && this != GRANTED;
		}

		private State with(LossCallback callback) {
			return new State(true, null, Stream.concat(this.callbacks.stream(), Stream.of(callback)).toList());
		}

		private State without(AtomicBoolean closed) {
			return new State(true, null, this.callbacks.stream().filter((each) -> each.closed != closed).toList());
		}

	}

}
