package io.distributedlock.engine.internal.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.event.LockInfo;
import io.distributedlock.event.LockObservation;
import io.distributedlock.event.LockObserver;
import io.distributedlock.spi.support.Mutex;
import org.jspecify.annotations.Nullable;

/**
 * One call for a lock as its observers see it. They are told one thing after the other,
 * and each at most once, whatever order the threads of the engine come in. Code of the
 * user runs only in methods that say so.
 */
public final class ObservedCall {

	/**
	 * A call without observers.
	 */
	public static final ObservedCall NONE = new ObservedCall(List.of(), null);

	private final List<LockObservation> observations;

	private final @Nullable EngineRuntime runtime;

	private final Mutex order = new Mutex();

	private Stage stage = Stage.ASKED;

	/**
	 * Returns the loss of the lock that the observers know as acquired. A call may have
	 * got one before that was lost at once, and of which they were not told.
	 */
	private Supplier<@Nullable LockLostException> loss = () -> null;

	private boolean lossTold;

	private ObservedCall(List<LockObservation> observations, @Nullable EngineRuntime runtime) {
		this.observations = observations;
		this.runtime = runtime;
	}

	/**
	 * Tell all observers that a call begins on this thread. Runs code of the user.
	 */
	public static ObservedCall begin(LockAttempt attempt, List<LockObserver> observers, EngineRuntime runtime) {
		if (observers.isEmpty()) {
			return NONE;
		}
		LockInfo lock = attempt.info();
		List<LockObservation> observations = new ArrayList<>(observers.size());
		for (LockObserver observer : observers) {
			Guard.run("an observer of locks", () -> observations
				.add(Objects.requireNonNull(observer.begin(lock), () -> observer + " returned no observation")));
		}
		return new ObservedCall(observations, runtime);
	}

	/**
	 * Tell the observers that the last holder has left. Runs code of the user, unless the
	 * caller never got the lock.
	 */
	public void released() {
		step(Stage.HELD, Stage.ENDED, LockObservation::released);
	}

	/**
	 * Note that the lock was lost. The observers are told on a thread for callbacks, or
	 * before that on the thread that releases. Does not wait for an observer: the thread
	 * of the timers may call this.
	 */
	public void lost() {
		later(this::tellLoss);
	}

	/**
	 * Note that the lock never reached its caller, or that no handle is left that could
	 * release it. The observers are told on a thread for callbacks.
	 * @param reason why it never reached its caller
	 */
	public void abandoned(Reason reason) {
		later(() -> {
			notAcquired(reason);
			released();
		});
	}

	/**
	 * Tell the observers that the caller has its lock. Runs code of the user.
	 * @param fencingToken its fencing token
	 * @param passedOn whether it came from another caller of this JVM
	 * @param lossOfLock returns how the lock was lost, {@code null} if it was not
	 */
	public void acquired(OptionalLong fencingToken, boolean passedOn,
			Supplier<@Nullable LockLostException> lossOfLock) {
		if (this.observations.isEmpty()) {
			return;
		}
		this.order.run(() -> {
			this.loss = lossOfLock;
			step(Stage.ASKED, Stage.HELD, (each) -> each.acquired(fencingToken, passedOn));
		});
		tellLoss();
	}

	/**
	 * Tell the observers that the call has ended without its lock. Runs code of the user.
	 */
	public void notAcquired(Reason reason) {
		step(Stage.ASKED, Stage.ENDED, (each) -> each.notAcquired(reason));
	}

	/**
	 * Tell the observers that the backend has failed for the call. Runs code of the user.
	 */
	public void unavailable(Throwable failure) {
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
		this.order.run(() -> {
			if (this.stage != from) {
				return;
			}
			this.stage = to;
			LockLostException lost = (from == Stage.HELD) ? this.loss.get() : null;
			if (lost != null && !this.lossTold) {
				this.lossTold = true;
				tellAll((each) -> each.lost(lost));
			}
			if (tell != null) {
				tellAll(tell);
			}
		});
	}

	private void tellAll(Consumer<LockObservation> tell) {
		for (LockObservation each : this.observations) {
			Guard.run("an observer of locks", () -> tell.accept(each));
		}
	}

	private void later(Runnable step) {
		if (this.runtime != null) {
			this.runtime.callBack(step);
		}
	}

	private enum Stage {

		ASKED, HELD, ENDED

	}

}
