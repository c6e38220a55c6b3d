package io.distributedlock.engine.simulation;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Code that locks by futures.
 */
final class SimulatedAsyncCaller extends SimulatedCaller {

	SimulatedAsyncCaller(SimulatedNode node, SimulatedFaults faults, SimulationChecks checks, SimulationSetting setting,
			SimulatedQuota quota) {
		super(node, faults, checks, setting, quota);
	}

	@Override
	void start(SimulatedThread.Pool threads) {
		start();
	}

	private void start() {
		this.world.later(this.setting.crowd() ? random(1_000_000) : someTime(), this.node, Role.CALLER, "calls",
				this::step);
	}

	private void step() {
		switch (this.faults.oneOf(0, 0, 1, 2, 2)) {
			case 0 -> acquire();
			case 1 -> tryAcquire();
			default -> execute();
		}
	}

	private void acquire() {
		SimulatedCall call = next("acquireAsync", true);
		if (call != null) {
			this.checks.begin(call);
			begun(call, () -> this.node.template().acquireAsync(call.request), (handle) -> hold(call, handle));
		}
	}

	private void tryAcquire() {
		SimulatedCall call = next("tryAcquireAsync", false);
		if (call != null) {
			this.checks.begin(call);
			begun(call, () -> this.node.template().tryAcquireAsync(call.request), (got) -> {
				if (got.isPresent()) {
					hold(call, got.get());
				}
				else {
					this.checks.contendedEnd(call);
					start();
				}
			});
		}
	}

	private void execute() {
		SimulatedCall call = next("executeAsync", true);
		if (call == null) {
			return;
		}
		this.checks.begin(call);
		CompletableFuture<?> result = begun(call,
				() -> this.node.template().executeAsync(call.request, () -> body(call)), (value) -> start());
		if (result != null && givesUp(100)) {
			this.world.later(someTime(), this.node, Role.CALLER, "gives up", () -> giveUp(call, result));
		}
	}

	/**
	 * Note how the future of a call ends, and on which thread.
	 */
	private <T> @Nullable CompletableFuture<T> begun(SimulatedCall call, Supplier<CompletableFuture<T>> method,
			java.util.function.Consumer<T> onValue) {
		CompletableFuture<T> future;
		try {
			future = method.get();
		}
		catch (Throwable ex) {
			this.checks.end(call, null);
			this.checks.violation(8, "%s throws: %s".formatted(call, SimulatedWorld.describe(ex)));
			start();
			return null;
		}
		boolean[] inline = { true };
		future.whenComplete((value, failure) -> {
			if (!inline[0] && !call.disturbed && !ofUser()) {
				this.checks.violation(8, call + " ends on a thread of the library");
			}
			Throwable cause = (failure != null) ? Failures.unwrap(failure) : null;
			boolean ofBody = call.bodies > 0 && cause != null;
			this.checks.end(call, (call.disturbed || ofBody) ? null : cause);
			try {
				if (failure != null) {
					start();
				}
				else {
					onValue.accept(value);
				}
			}
			catch (Throwable ex) {
				this.checks.violation(8, "a continuation failed: " + SimulatedWorld.describe(ex));
			}
			doSomethingInCallback();
		});
		inline[0] = false;
		if (!call.how.startsWith("execute") && givesUp(100)) {
			this.world.later(someTime(), this.node, Role.CALLER, "gives up", () -> giveUp(call, future));
		}
		return future;
	}

	/**
	 * What cancel and a time-out of the caller's own do to a future.
	 */
	private void giveUp(SimulatedCall call, CompletableFuture<?> future) {
		if (future.isDone()) {
			return;
		}
		this.world.note(() -> "gives up " + call);
		call.disturbed = true;
		if (chance(500)) {
			future.cancel(chance(500));
		}
		else {
			future.completeExceptionally(new TimeoutException());
		}
	}

	private void hold(SimulatedCall call, LockHandle handle) {
		SimulatedHold hold = opened(call, handle);
		if (strays(200)) {
			this.world.later(someTime(), this.node, Role.CALLER, "extends", () -> extend(hold));
		}
		if (strays(10)) {
			this.node.keep(hold);
			start();
			return;
		}
		this.world.later(someTime(), this.node, Role.CALLER, "closes", () -> {
			closeAsync(hold);
			if (chance(100)) {
				hold.handle.closeAsync();
			}
			start();
		});
	}

	/**
	 * Work under a lock: ends at once, later, or badly.
	 */
	private @Nullable CompletionStage<String> body(SimulatedCall call) {
		LockHandle handle = LockContext.find().orElse(null);
		this.checks.bodyStarts(call, handle);
		if (this.world.role() != Role.CALLBACK) {
			this.checks.violation(9, "the body of " + call + " runs on a thread of the library");
		}
		Optional<SimulatedHold> hold = Optional.ofNullable(handle).map((own) -> opened(call, own));
		CompletableFuture<String> stage = new CompletableFuture<>();
		switch (this.faults.oneOf(0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 5)) {
			case 0 -> stage.complete("done");
			case 1 -> {
				this.world.later(someTime(), this.node, Role.CALLER, "body ends", () -> {
					ends(call, hold);
					stage.complete("done");
				});
				return stage;
			}
			case 2 -> stage.completeExceptionally(new SimulatedFaults.SimulatedException("body"));
			case 3 -> {
				ends(call, hold);
				throw new SimulatedFaults.SimulatedException("body");
			}
			case 4 -> {
				ends(call, hold);
				SimulatedFaults.throwError("body");
			}
			default -> {
				ends(call, hold);
				return null;
			}
		}
		ends(call, hold);
		return stage;
	}

	private void ends(SimulatedCall call, Optional<SimulatedHold> hold) {
		hold.ifPresent(this.checks::closing);
		this.checks.bodyEnds(call);
	}

}
