package io.distributedlock.engine.simulation;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;
import org.jspecify.annotations.Nullable;

/**
 * A place of the simulated provider: one of the library's own, whose methods fail where
 * the run wants it.
 */
final class SimulatedPlace implements LockQueue.Place {

	private final Consumer<String> faults;

	private LockQueue.@Nullable Place place;

	private boolean left;

	SimulatedPlace(Consumer<String> faults) {
		this.faults = faults;
	}

	void start(Supplier<LockQueue.Place> take) {
		this.place = take.get();
	}

	/**
	 * Return whether nobody needs to leave it any more.
	 */
	boolean isOver() {
		return this.left || place().granted().toCompletableFuture().isDone();
	}

	boolean isLeft() {
		return this.left;
	}

	@Override
	public CompletionStage<Lease> granted() {
		return place().granted();
	}

	@Override
	public void lookAgain() {
		place().lookAgain();
		this.faults.accept("lookAgain of a place");
	}

	@Override
	public boolean isBehindOthers() {
		this.faults.accept("isBehindOthers of a place");
		return place().isBehindOthers();
	}

	@Override
	public void leave() {
		this.left = true;
		place().leave();
		this.faults.accept("leave of a place");
	}

	private LockQueue.Place place() {
		LockQueue.Place taken = this.place;
		if (taken == null) {
			throw new IllegalStateException("not taken yet");
		}
		return taken;
	}

}
