package io.distributedlock.engine.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A release that goes to the server with the first question of a place. Its answer comes
 * with the answer to that question, and before it.
 */
final class SimulatedExchange {

	private final SimulatedBackend backend;

	private final SimulatedLease before;

	private final CompletableFuture<Boolean> released = new CompletableFuture<>();

	private boolean asked;

	private boolean had;

	SimulatedExchange(SimulatedBackend backend, SimulatedLease before) {
		this.backend = backend;
		this.before = before;
	}

	CompletionStage<Boolean> released() {
		return this.released;
	}

	/**
	 * Return what the server does at a question of the place.
	 */
	<T> Supplier<T> onServer(Supplier<T> question) {
		if (this.asked) {
			return question;
		}
		return () -> {
			this.had = this.backend.release(this.before.backendKey(), this.before.owner());
			return question.get();
		};
	}

	/**
	 * Ask a question of the place.
	 */
	<T extends @Nullable Object> @Nullable CompletionStage<T> ask(Supplier<@Nullable CompletionStage<T>> question) {
		if (this.asked) {
			return question.get();
		}
		CompletionStage<T> stage;
		try {
			stage = question.get();
		}
		catch (Throwable ex) {
			this.released.completeExceptionally(ex);
			throw ex;
		}
		finally {
			this.asked = true;
		}
		if (stage == null) {
			this.released.completeExceptionally(new SimulatedFaults.SimulatedException("exchange without a stage"));
			return null;
		}
		CompletableFuture<T> answer = new CompletableFuture<>();
		stage.whenComplete((value, failure) -> {
			if (failure != null) {
				this.released.completeExceptionally(failure);
				answer.completeExceptionally(failure);
			}
			else {
				this.released.complete(this.had);
				answer.complete(value);
			}
		});
		return answer;
	}

}
