package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockObservation;
import org.jspecify.annotations.Nullable;

/**
 * One call for a lock as its observers see it. They are told one thing after the other,
 * and each at most once, whatever order the threads of the engine come in. Code of the
 * user runs only in methods that say so.
 */
final class ObservedCall {

	/**
	 * A call without observers.
	 */
	static final ObservedCall NONE = new ObservedCall(List.of(), null);

	private final List<LockObservation> observations;

	private final @Nullable EngineRuntime runtime;

	private final ReentrantLock order = new ReentrantLock();

	private Stage stage = Stage.ASKED;

	/**
	 * The lock that the observers know as acquired. A call may have got one before that
	 * was lost at once, and of which they were not told.
	 */
	private @Nullable HeldLock lock;

	private boolean lossTold;

	ObservedCall(List<LockObservation> observations, @Nullable EngineRuntime runtime) {
		this.observations = observations;
		this.runtime = runtime;
	}

	/**
	 * Tell the observers how the acquisition ended. Runs code of the user.
	 */
	void ended(AcquisitionOutcome outcome, Duration commandTimeout) {
		if (this.observations.isEmpty()) {
			return;
		}
		switch (outcome.status()) {
			case ACQUIRED -> acquired(outcome.requiredLock());
			case CONTENDED -> notAcquired(Reason.CONTENDED);
			case CROWDED -> notAcquired(Reason.CROWDED);
			case INTERRUPTED -> notAcquired(Reason.INTERRUPTED);
			case CLOSED -> notAcquired(Reason.CLOSED);
			case UNANSWERED -> unavailable(new NoAnswerException(commandTimeout));
			case UNAVAILABLE -> unavailable(outcome.requiredFailure());
		}
	}

	/**
	 * Tell the observers that the last holder has left. Runs code of the user, unless the
	 * caller never got the lock.
	 */
	void released() {
		step(Stage.HELD, Stage.ENDED, LockObservation::released);
	}

	/**
	 * Note that the lock was lost. The observers are told on a thread for callbacks, or
	 * before that on the thread that releases. Does not wait for an observer: the thread
	 * of the timers may call this.
	 */
	void lost() {
		if (!this.observations.isEmpty()) {
			later(this::tellLoss);
		}
	}

	/**
	 * Note that the lock never reached its caller, or that no handle is left that could
	 * release it. The observers are told on a thread for callbacks.
	 */
	void abandoned() {
		if (!this.observations.isEmpty()) {
			later(() -> {
				notAcquired(Reason.INTERRUPTED);
				released();
			});
		}
	}

	private void acquired(HeldLock acquired) {
		this.order.lock();
		try {
			this.lock = acquired;
			step(Stage.ASKED, Stage.HELD, (each) -> each.acquired(acquired.fencingToken(), acquired.index() > 0));
		}
		finally {
			this.order.unlock();
		}
		tellLoss();
	}

	private void notAcquired(Reason reason) {
		step(Stage.ASKED, Stage.ENDED, (each) -> each.notAcquired(reason));
	}

	private void unavailable(Throwable failure) {
		step(Stage.ASKED, Stage.ENDED, (each) -> each.unavailable(failure));
	}

	/**
	 * Tell the observers of a loss, unless they do not know yet that the lock was
	 * acquired.
	 */
	private void tellLoss() {
		step(Stage.HELD, Stage.HELD, null);
	}

	/**
	 * Go from one stage to the next.
	 * @param tell what to tell the observers, after a loss that they do not know
	 */
	private void step(Stage from, Stage to, @Nullable Consumer<LockObservation> tell) {
		if (this.observations.isEmpty()) {
			return;
		}
		this.order.lock();
		try {
			if (this.stage != from) {
				return;
			}
			this.stage = to;
			LockLostException loss = (from == Stage.HELD && this.lock != null) ? this.lock.loss() : null;
			if (loss != null && !this.lossTold) {
				this.lossTold = true;
				tellAll((each) -> each.lost(loss));
			}
			if (tell != null) {
				tellAll(tell);
			}
		}
		finally {
			this.order.unlock();
		}
	}

	private void tellAll(Consumer<LockObservation> tell) {
		for (LockObservation each : this.observations) {
			Guard.run("an observer of locks", () -> tell.accept(each));
		}
	}

	private void later(Runnable step) {
		Objects.requireNonNull(this.runtime).callBack(step);
	}

	private enum Stage {

		ASKED, HELD, ENDED

	}

}
