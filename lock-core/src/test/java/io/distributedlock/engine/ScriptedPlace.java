package io.distributedlock.engine;

import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;

/**
 * A place in a queue that does what a test says.
 *
 * @param granted its grant
 * @param look is done at each look
 * @param behind says whether others are in front
 * @param departure is done when it is left
 */
record ScriptedPlace(CompletionStage<Lease> granted, Runnable look, BooleanSupplier behind,
		Runnable departure) implements LockQueue.Place {

	@Override
	public void lookAgain() {
		this.look.run();
	}

	@Override
	public boolean isBehindOthers() {
		return this.behind.getAsBoolean();
	}

	@Override
	public void leave() {
		this.departure.run();
	}

}
