package io.distributedlock.engine.internal.key;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Bag;
import io.distributedlock.engine.internal.runtime.Trampoline;
import org.jspecify.annotations.Nullable;

/**
 * A call for a lock, from its begin to its one end, as those know it who look at all
 * calls.
 */
public abstract class CallUnderWay extends Bag.Member {

	private static final AtomicIntegerFieldUpdater<CallUnderWay> OVER = AtomicIntegerFieldUpdater
		.newUpdater(CallUnderWay.class, "over");

	private final LockAttempt attempt;

	private final @Nullable Thread thread;

	private final long startNanos;

	/**
	 * The locks that the caller holds; {@code null} when the call has ended, as a handle
	 * to which something refers counts as in use.
	 */
	private volatile @Nullable LockContext caller;

	private volatile int over;

	CallUnderWay(LockAttempt attempt, LockContext caller, @Nullable Thread thread, long startNanos) {
		this.attempt = attempt;
		this.caller = caller;
		this.thread = thread;
		this.startNanos = startNanos;
	}

	public final LockAttempt attempt() {
		return this.attempt;
	}

	/**
	 * Return when it began.
	 */
	public final long startNanos() {
		return this.startNanos;
	}

	/**
	 * Return the thread that waits for it, {@code null} if none does.
	 */
	public final @Nullable Thread thread() {
		return this.thread;
	}

	/**
	 * Return whether its caller holds a lock: then it has to finish what it does.
	 */
	final boolean isInsideAnotherLock() {
		LockContext locks = this.caller;
		return locks != null && locks.innermost(LockHandle::isValid).isPresent();
	}

	final boolean isOver() {
		return this.over != 0;
	}

	/**
	 * End it, if it has not ended. It does not wait for the answer to an attempt that is
	 * under way: a lease that this answer brings is released.
	 * @return {@code false} if it had ended before
	 */
	public final boolean end(AcquisitionOutcome outcome) {
		if (!OVER.compareAndSet(this, 0, 1)) {
			return false;
		}
		this.caller = null;
		try {
			Trampoline.runNow(() -> conclude(outcome));
		}
		catch (Throwable ex) {
			// there was no memory for it
			conclude(outcome);
		}
		return true;
	}

	/**
	 * Do what belongs to its end.
	 */
	abstract void conclude(AcquisitionOutcome outcome);

	/**
	 * Return whether it counts as waiting.
	 */
	abstract boolean isWaiting();

	/**
	 * Return whether it waits for its provider, which is down.
	 * @param asking whether also if it is not behind another call, and may ask now
	 */
	abstract boolean isInVain(boolean asking);

}
