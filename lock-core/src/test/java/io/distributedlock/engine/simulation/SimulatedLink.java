package io.distributedlock.engine.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.engine.simulation.SimulatedFaults.Fate;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * The way from one node to the server and back: what becomes of a request is chance.
 */
final class SimulatedLink {

	private static final long LONGEST_DELAY = SimulatedFaults.millis(20_000);

	/**
	 * The engine takes it that a server which has not acted on a request for ten command
	 * time-outs never will.
	 */
	private static final int COMMAND_TIMEOUTS = 9;

	private final SimulatedNode node;

	private final SimulatedWorld world;

	private final SimulatedFaults faults;

	private final boolean messages;

	private long cutOffUntil;

	SimulatedLink(SimulatedNode node, SimulatedFaults faults) {
		this.node = node;
		this.world = node.world();
		this.faults = faults;
		this.messages = this.world.chance(700);
	}

	/**
	 * Return whether places in a queue hear of releases.
	 */
	boolean hasMessages() {
		return this.messages;
	}

	void cutOff(long nanos) {
		this.cutOffUntil = this.world.now() + nanos;
	}

	boolean isCutOff() {
		return this.cutOffUntil > this.world.now();
	}

	/**
	 * Send a request.
	 * @param effect what the server does
	 * @param ifUnknown called when nobody will know whether the server has done it
	 * @param onAnswer called right before the engine gets the answer
	 */
	<T extends @Nullable Object> @Nullable CompletionStage<T> send(String what, Supplier<T> effect,
			@Nullable Runnable ifUnknown, Consumer<T> onAnswer) {
		Fate fate = isCutOff() ? cutFate() : this.faults.fate();
		this.world.mark(fate.name().hashCode());
		this.world.note(() -> what + " " + fate);
		Runnable unknown = (ifUnknown != null) ? ifUnknown : () -> {
		};
		CompletableFuture<T> answer = (fate == Fate.TWICE) ? new TwiceAnswered<>() : new CompletableFuture<>();
		switch (fate) {
			case AT_ONCE -> {
				T value = effect.get();
				onAnswer.accept(value);
				answer.complete(value);
			}
			case ANSWERED, TWICE ->
				travel(what, this.faults.trip(), this.faults.trip(), effect, unknown, onAnswer, answer);
			case LATE_REQUEST -> travel(what, late(), this.faults.trip(), effect, unknown, onAnswer, answer);
			case LATE_ANSWER -> travel(what, this.faults.trip(), late(), effect, unknown, onAnswer, answer);
			case LOST_REQUEST -> {
				// nobody hears of it
			}
			case LOST_ANSWER -> doItUnseen(what, effect, unknown);
			case BROKEN_BEFORE -> failLater(answer, broken());
			case BROKEN_AFTER -> {
				doItUnseen(what, effect, unknown);
				failLater(answer, broken());
			}
			case BROKEN_AT_ONCE -> answer.completeExceptionally(broken());
			case REFUSED -> failLater(answer, refused());
			case REFUSED_AT_ONCE -> answer.completeExceptionally(refused());
			case UNEXPECTED -> failLater(answer, new SimulatedFaults.SimulatedException(what));
			case ERROR -> failLater(answer, new SimulatedFaults.SimulatedError(what));
			case THROWS -> throw new SimulatedFaults.SimulatedException(what);
			case THROWS_AFTER -> {
				doItUnseen(what, effect, unknown);
				throw broken();
			}
			case THROWS_ERROR -> SimulatedFaults.throwError(what);
			case NO_STAGE -> {
				return null;
			}
			case NO_ANSWER -> this.world.later(this.faults.trip(), this.node, Role.CLIENT, what, () -> {
				onAnswer.accept(null);
				answerNothing(answer);
			});
			default -> throw new IllegalStateException();
		}
		return answer;
	}

	private static <T extends @Nullable Object> void answerNothing(CompletableFuture<T> answer) {
		answer.complete(null);
	}

	private <T extends @Nullable Object> void travel(String what, long there, long back, Supplier<T> effect,
			Runnable unknown, Consumer<T> onAnswer, CompletableFuture<T> answer) {
		this.world.later(there, null, Role.OUTSIDE, what, () -> {
			T value = effect.get();
			this.world.later(back, this.node, Role.CLIENT, what, () -> {
				if (isCutOff()) {
					unknown.run();
				}
				else {
					onAnswer.accept(value);
					answer.complete(value);
				}
			});
		});
	}

	private <T extends @Nullable Object> void doItUnseen(String what, Supplier<T> effect, Runnable unknown) {
		this.world.later(this.faults.trip(), null, Role.OUTSIDE, what, () -> {
			T unseen = effect.get();
			this.world.note(() -> what + " without an answer: " + unseen);
			unknown.run();
		});
	}

	private void failLater(CompletableFuture<?> answer, Throwable failure) {
		this.world.later(this.faults.trip(), this.node, Role.CLIENT, "failure",
				() -> answer.completeExceptionally(failure));
	}

	private Fate cutFate() {
		return switch (this.faults.oneOf(0, 1, 2)) {
			case 0 -> Fate.LOST_REQUEST;
			case 1 -> Fate.BROKEN_BEFORE;
			default -> Fate.BROKEN_AT_ONCE;
		};
	}

	private long late() {
		return (this.faults.oneOf(0, 1, 2, 3) == 0)
				? this.world.random(Math.min(LONGEST_DELAY, COMMAND_TIMEOUTS * this.node.commandTimeout()))
				: this.world.random(3 * this.node.commandTimeout());
	}

	private static BackendException broken() {
		return new CheapException("connection broken", true);
	}

	private static BackendException refused() {
		return new CheapException("credentials refused", false);
	}

	/**
	 * Without the cost of a stack trace.
	 */
	private static final class CheapException extends BackendException {

		private static final long serialVersionUID = 1L;

		CheapException(String message, boolean retryable) {
			super(message, retryable, null);
		}

		@Override
		public Throwable fillInStackTrace() {
			return this;
		}

	}

	/**
	 * What a library may make of an answer that comes twice: the one who asked hears it
	 * twice, the second time perhaps otherwise.
	 */
	private final class TwiceAnswered<T extends @Nullable Object> extends CompletableFuture<T> {

		private void again(BiConsumer<? super T, ? super Throwable> action, @Nullable T value,
				@Nullable Throwable failure) {
			try {
				switch (SimulatedLink.this.faults.oneOf(0, 1, 2)) {
					case 0 -> action.accept(value, failure);
					case 1 -> action.accept(null, null);
					default -> action.accept(null, broken());
				}
			}
			catch (RuntimeException | Error ex) {
				// a client logs what its listeners throw
				SimulatedLink.this.world.note(() -> "a listener threw " + ex);
			}
		}

		@Override
		public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> action) {
			return super.whenComplete((value, failure) -> {
				action.accept(value, failure);
				SimulatedLink.this.world.later(SimulatedLink.this.faults.trip(), SimulatedLink.this.node, Role.CLIENT,
						"second answer", () -> again(action, value, failure));
			});
		}

	}

}
