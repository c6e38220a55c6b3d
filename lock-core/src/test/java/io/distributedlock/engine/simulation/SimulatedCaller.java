package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Code of an application that locks again and again: what it does is chance.
 */
abstract class SimulatedCaller {

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	final SimulatedNode node;

	final SimulatedWorld world;

	final SimulatedFaults faults;

	final SimulationChecks checks;

	final SimulationSetting setting;

	private final SimulatedQuota quota;

	private boolean finished;

	SimulatedCaller(SimulatedNode node, SimulatedFaults faults, SimulationChecks checks, SimulationSetting setting,
			SimulatedQuota quota) {
		this.node = node;
		this.world = node.world();
		this.faults = faults;
		this.checks = checks;
		this.setting = setting;
		this.quota = quota;
	}

	/**
	 * How many calls a run makes, and how many it still has to make.
	 */
	static final class SimulatedQuota {

		private int left;

		private int given;

		SimulatedQuota(int calls) {
			this.left = calls;
		}

		/**
		 * Make no more calls.
		 */
		void stop() {
			this.left = 0;
		}

		private int next() {
			return (this.left-- > 0) ? ++this.given : 0;
		}

	}

	abstract void start(SimulatedThread.Pool threads);

	/**
	 * Return whether it makes no more calls.
	 */
	boolean isFinished() {
		return this.finished || this.node.isDead();
	}

	boolean chance(int perMille) {
		return this.world.chance(perMille);
	}

	/**
	 * Return whether to do what calls of a storm do not do.
	 */
	boolean strays(int perMille) {
		return this.setting.storm() == null && chance(perMille);
	}

	/**
	 * Return whether a call ends before its time.
	 * @param perMille how many of a thousand do without a storm
	 */
	boolean givesUp(int perMille) {
		SimulatedStorm storm = this.setting.storm();
		return chance((storm != null) ? storm.givesUp() : perMille);
	}

	long random(long bound) {
		return this.world.random(bound);
	}

	/**
	 * Return how long somebody does something, in nanoseconds.
	 */
	long someTime() {
		if (this.setting.storm() != null) {
			return random(this.faults.roundTrip());
		}
		return switch (this.faults.oneOf(0, 0, 1, 1, 2, 3)) {
			case 0 -> random(1_000_000);
			case 1 -> random(20_000_000);
			case 2 -> random(this.setting.renewalLeaseTime().toNanos());
			default -> random(2 * shortTimeout());
		};
	}

	private long shortTimeout() {
		return Math.min(this.node.commandTimeout(), SimulatedFaults.millis(3000));
	}

	/**
	 * Draw the next call.
	 * @return the call, {@code null} if the run makes no more
	 */
	@Nullable SimulatedCall next(String how, boolean waitsByDefault) {
		int id = (this.setting.storm() != null && this.node.isClosing()) ? 0 : this.quota.next();
		this.finished = id == 0;
		return (id > 0) ? call(id, how, request(), waitsByDefault) : null;
	}

	/**
	 * Make a call for the same key as another one.
	 */
	SimulatedCall again(SimulatedCall outer, String how, LockType type) {
		return call(0, how, tagged(LockRequest.of(outer.request.key()).withType(type)), true);
	}

	/**
	 * Make a call for one of the keys of another one, and a further key.
	 */
	SimulatedCall crossing(SimulatedCall outer, String how) {
		LockRequest shared = outer.parts().get((int) random(outer.parts().size()));
		LockRequest request = shared.withHoldAtLeast(Duration.ZERO).withKeys(List.of(shared.key(), "x" + random(3)));
		return call(0, how, tagged(request), true);
	}

	private SimulatedCall call(int id, String how, LockRequest request, boolean waitsByDefault) {
		Duration wait = request.waitTime();
		if (wait == null) {
			wait = waitsByDefault ? this.setting.waitTime() : Duration.ZERO;
		}
		// lock() waits as long as it takes
		long waitNanos = how.equals("lock") ? Long.MAX_VALUE / 4 : LockTimes.saturatedNanos(wait);
		return new SimulatedCall(id, this.node, request, how, this.world.now(), waitNanos + this.node.commandTimeout());
	}

	private LockRequest request() {
		SimulatedStorm storm = this.setting.storm();
		if (storm != null) {
			return tagged(LockRequest.of(key())
				.withType(storm.type())
				.withWaitTime(storm.waitTime(this.world, this.faults.roundTrip())));
		}
		LockRequest request = LockRequest.of(key());
		if (chance(100)) {
			List<String> keys = new ArrayList<>();
			for (int i = 0; i <= this.faults.oneOf(1, 2); i++) {
				keys.add(key());
			}
			request = LockRequest.ofAll(keys);
		}
		request = switch (this.faults.oneOf(0, 0, 0, 0, 1, 2, 3, 4)) {
			case 0 -> request;
			case 1 -> request.withType(LockType.FAIR);
			case 2 -> request.withType(LockType.READ);
			case 3 -> request.withType(LockType.WRITE);
			default -> request.withPermits(2);
		};
		if (chance(30)) {
			// another kind of the same key is another lock
			request = request.and(LockRequest.of(key())).and(LockRequest.of(key()).withPermits(2));
		}
		request = switch (this.faults.oneOf(0, 0, 1, 2, 3, 4)) {
			case 0 -> request.withWaitTime(chance(990) ? Duration.ZERO : FOREVER);
			case 1 -> request.withWaitTime(Duration.ofMillis(1 + random(50)));
			case 2 -> request.withWaitTime(Duration.ofNanos(random(3 * shortTimeout())));
			case 3 -> request.withWaitTime(Duration.ofMillis(random(3000)));
			default -> request;
		};
		if (chance(50)) {
			request = request.withMaxWaiters(this.faults.oneOf(0, 1, 2));
		}
		return this.setting.crowd() ? ofCrowd()
				: (chance(900) || request.parts().size() > 1) ? tagged(request) : request;
	}

	private LockRequest ofCrowd() {
		LockRequest request = LockRequest.of("k").withWaitTime(Duration.ofMillis(1 + random(5000)));
		return this.setting.signals() ? request.withPermits(3) : request;
	}

	/**
	 * Give a request a length of lease that no other call of the run has.
	 */
	private LockRequest tagged(LockRequest request) {
		long millis = this.faults.oneOf(30, 200, 1000, 5000) + random(200);
		while (this.checks.isLeaseTaken(millis) || millis == this.setting.renewalLeaseTime().toMillis()) {
			millis++;
		}
		LockRequest tagged = request.withLeaseTime(Duration.ofMillis(millis)).withAutoRenew(chance(500));
		return strays(60) ? tagged.withHoldAtLeast(Duration.ofMillis(1 + random(millis))) : tagged;
	}

	private String key() {
		return "k" + random(this.setting.keys());
	}

	/**
	 * Note that a call has brought a lock, and ask to be told what becomes of it.
	 */
	SimulatedHold opened(SimulatedCall call, LockHandle handle) {
		SimulatedHold hold = this.checks.opened(call, handle);
		if (chance(500)) {
			handle.onLost((loss) -> {
				this.checks.told(hold);
				doSomethingInCallback();
			});
			this.checks.listens(hold);
		}
		if (chance(150)) {
			handle.onExpiring(Duration.ofNanos(someTime()), () -> {
				if (this.world.role() != Role.CALLBACK) {
					this.checks.violation(6, hold + " is warned on a thread of the library");
				}
				doSomethingInCallback();
			});
		}
		return hold;
	}

	/**
	 * Return whether this thread may run code of the user: of its executor, or one of its
	 * own that ends what others wait for.
	 */
	boolean ofUser() {
		return this.world.role() == Role.CALLBACK || this.world.role() == Role.CALLER;
	}

	void doSomethingInCallback() {
		this.node.clock().sleep(someTime());
		switch (this.faults.oneOf(0, 0, 0, 0, 0, 0, 0, 1, 2)) {
			case 1 -> throw new SimulatedFaults.SimulatedException("callback");
			case 2 -> SimulatedFaults.throwError("callback");
			default -> {
				// ends normally
			}
		}
	}

	void extend(SimulatedHold hold) {
		hold.extended();
		if (hold.closing || hold.handle.isClosed()) {
			return;
		}
		CompletableFuture<?> extended;
		try {
			extended = hold.handle.extendAsync(chance(980) ? Duration.ofMillis(1 + random(3000)) : FOREVER);
		}
		catch (IllegalArgumentException ex) {
			// nobody can keep a lease for ever
			return;
		}
		catch (Throwable ex) {
			this.checks.violation(8, "extendAsync throws: " + SimulatedWorld.describe(ex));
			return;
		}
		mustEnd(extended, this.node.commandTimeout(), "extendAsync", (failure) -> {
			if (!(failure instanceof LockLostException) && !(failure instanceof IllegalArgumentException)
					&& !(failure instanceof LockUnavailableException)) {
				this.checks.violation(8, "extendAsync ends with " + SimulatedWorld.describe(failure));
			}
		});
	}

	void closeAsync(SimulatedHold hold) {
		this.checks.closing(hold);
		mustEnd(hold.handle.closeAsync(), this.node.commandTimeout(), "closeAsync",
				(failure) -> this.checks.violation(8, "closeAsync ends with " + SimulatedWorld.describe(failure)));
	}

	/**
	 * Watch that a future ends in time, on a thread of the user.
	 */
	void mustEnd(CompletableFuture<?> future, long nanos, String what,
			java.util.function.Consumer<Throwable> onFailure) {
		boolean[] inline = { true };
		future.whenComplete((value, failure) -> {
			if (!inline[0] && !ofUser()) {
				this.checks.violation(8, what + " ends on a thread of the library");
			}
			if (failure != null) {
				onFailure.accept(Failures.unwrap(failure));
			}
		});
		inline[0] = false;
		if (!future.isDone()) {
			watch(future, this.node.clock().worldNanos(nanos) + this.faults.slack(), what);
		}
	}

	private void watch(CompletableFuture<?> future, long nanos, String what) {
		this.world.later(nanos, this.node, Role.OUTSIDE, "bound", () -> {
			if (future.isDone()) {
				return;
			}
			if (this.node.wasPausedWithin(this.faults.slack())) {
				watch(future, this.faults.slack(), what);
			}
			else {
				this.checks.violation(8, what + " has not ended in time");
			}
		});
	}

}
