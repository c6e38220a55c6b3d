package io.distributedlock.engine.internal.key;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Bag;
import org.jspecify.annotations.Nullable;

/**
 * A call for a lock that has not ended, as those know it who look at all calls.
 */
public abstract class CallUnderWay extends Bag.Member {

	public abstract LockAttempt attempt();

	/**
	 * Return when it began.
	 */
	public abstract long startNanos();

	/**
	 * Return the thread that waits for it, {@code null} if none does.
	 */
	public abstract @Nullable Thread thread();

	/**
	 * Return whether it counts as waiting.
	 */
	abstract boolean isWaiting();

	/**
	 * Return whether its caller holds a lock: then it has to finish what it does.
	 */
	abstract boolean isInsideAnotherLock();

	/**
	 * End it, if it has not ended. It does not wait for the answer to an attempt that is
	 * under way: a lease that this answer brings is released.
	 * @return {@code false} if it had ended before
	 */
	public abstract boolean end(AcquisitionOutcome outcome);

	/**
	 * Return whether it waits for its provider, which is down.
	 * @param asking whether also if it is not behind another call, and may ask now
	 */
	abstract boolean isInVain(boolean asking);

}
