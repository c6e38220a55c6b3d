package io.distributedlock.redisson;

import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;

/**
 * A place in Redisson's own queue. It waits for a message, and asks without one only if
 * it has to.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param asking asks whenever it is told to
 * @param signals the messages for this place
 */
record FairPlace(LockQueue.Place asking, QueueSignals.Place signals) implements LockQueue.Place {

	@Override
	public CompletionStage<Lease> granted() {
		return this.asking.granted();
	}

	@Override
	public boolean isBehindOthers() {
		return !this.signals.hasFailed() && this.asking.isBehindOthers();
	}

	@Override
	public void lookAgain() {
		// after a failure it asks too: the server may have answered other places
		// meanwhile
		if (this.signals.isQuestionDue() || !this.asking.isBehindOthers()) {
			this.asking.lookAgain();
		}
	}

	@Override
	public void leave() {
		this.asking.leave();
	}

}
