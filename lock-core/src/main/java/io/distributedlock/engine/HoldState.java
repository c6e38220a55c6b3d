package io.distributedlock.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a hold goes on, and who wants to be told if it is lost. A hold ends once: it is
 * released or lost, and never both. Thread-safe.
 */
final class HoldState {

	private final ReentrantLock guard = new ReentrantLock();

	private final Set<Consumer<LockLostException>> lossCallbacks = new LinkedHashSet<>(0);

	private volatile State state = State.HELD;

	private volatile @Nullable LockLostException loss;

	boolean isHeld() {
		return this.state == State.HELD;
	}

	boolean isReleased() {
		return this.state == State.RELEASED;
	}

	/**
	 * Return how the hold was lost, {@code null} if it was not.
	 */
	@Nullable LockLostException loss() {
		return this.loss;
	}

	/**
	 * End the hold because its holders have left.
	 * @return {@code false} if it had ended before
	 */
	boolean release() {
		this.guard.lock();
		try {
			boolean held = isHeld();
			this.state = held ? State.RELEASED : this.state;
			return held;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * End the hold although its holders have not left.
	 * @return the callbacks to call; {@code null} if it had ended before
	 */
	@Nullable List<Consumer<LockLostException>> lose(LockLostException exception) {
		this.guard.lock();
		try {
			if (!isHeld()) {
				return null;
			}
			this.loss = exception;
			this.state = State.LOST;
			List<Consumer<LockLostException>> callbacks = List.copyOf(this.lossCallbacks);
			this.lossCallbacks.clear();
			return callbacks;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Add a callback for a loss.
	 * @param callback an object that was not added before
	 * @return the loss if it has happened already, so that the caller calls back
	 */
	@Nullable LockLostException onLost(Consumer<LockLostException> callback) {
		this.guard.lock();
		try {
			if (this.loss == null) {
				this.lossCallbacks.add(callback);
			}
			return this.loss;
		}
		finally {
			this.guard.unlock();
		}
	}

	void remove(Consumer<LockLostException> callback) {
		this.guard.lock();
		try {
			this.lossCallbacks.remove(callback);
		}
		finally {
			this.guard.unlock();
		}
	}

	private enum State {

		HELD, RELEASED, LOST

	}

}
