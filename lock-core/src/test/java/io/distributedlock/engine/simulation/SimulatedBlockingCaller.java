package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOutcome;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import org.jspecify.annotations.Nullable;

/**
 * Code that locks on a thread which waits.
 */
final class SimulatedBlockingCaller extends SimulatedCaller {

	private final List<SimulatedCall> active = new ArrayList<>();

	private @Nullable SimulatedThread thread;

	private boolean interrupted;

	SimulatedBlockingCaller(SimulatedNode node, SimulatedFaults faults, SimulationChecks checks,
			SimulationSetting setting, SimulatedQuota quota) {
		super(node, faults, checks, setting, quota);
	}

	@Override
	void start(SimulatedThread.Pool threads) {
		this.world.later(someTime(), this.node, Role.CALLER, "starts", () -> this.node.onThread(threads, this::run));
	}

	private void run() {
		this.thread = SimulatedThread.current();
		while (true) {
			this.node.clock().sleep(someTime());
			boolean waits = chance(600);
			SimulatedCall call = next(waits ? this.how(true) : how(false), waits);
			if (call == null) {
				return;
			}
			make(call, 0);
			Thread.interrupted();
			this.interrupted = false;
		}
	}

	private String how(boolean waits) {
		if (this.setting.storm() != null) {
			return waits ? "acquire" : "tryAcquire";
		}
		if (waits) {
			return switch (this.faults.oneOf(0, 1, 2)) {
				case 0 -> "acquire";
				case 1 -> "execute";
				default -> "lock";
			};
		}
		return switch (this.faults.oneOf(0, 1, 2)) {
			case 0 -> "tryAcquire";
			case 1 -> "tryExecute";
			default -> "tryLock";
		};
	}

	private void make(SimulatedCall call, int depth) {
		boolean refusable = wouldWaitForItself(call);
		this.checks.begin(call);
		this.active.add(call);
		call.disturbed = this.interrupted;
		if (givesUp(60)) {
			this.world.later(someTime(), this.node, Role.CALLER, "interrupts", () -> interrupt(call));
		}
		try {
			switch (call.how) {
				case "acquire" -> acquired(call, this.node.template().acquire(call.request), depth);
				case "execute" -> this.node.template().execute(call.request, () -> body(call, depth));
				case "tryAcquire" -> {
					Optional<LockHandle> got = this.node.template().tryAcquire(call.request);
					if (got.isPresent()) {
						acquired(call, got.get(), depth);
					}
					else {
						this.checks.contendedEnd(call);
					}
				}
				case "tryExecute" -> {
					LockOutcome<String> outcome = this.node.template()
						.<String, RuntimeException>tryExecute(call.request, () -> body(call, depth));
					if (!outcome.acquired()) {
						this.checks.contendedEnd(call);
					}
				}
				default -> view(call, depth);
			}
			this.checks.end(call, null);
		}
		catch (SimulatedFaults.SimulatedException | SimulatedFaults.SimulatedError ex) {
			// what bodies throw comes out as it is, and what providers throw does not
			this.checks.end(call, (call.bodies > 0) ? null : ex);
		}
		catch (InterruptedException ex) {
			this.checks.end(call, null);
			if (!call.disturbed) {
				this.checks.violation(8, call + " is interrupted by nobody");
			}
		}
		catch (SimulatedThread.Killed ex) {
			throw ex;
		}
		catch (IllegalStateException ex) {
			this.checks.end(call, refusable ? null : ex);
		}
		catch (Throwable ex) {
			this.checks.end(call, ex);
		}
		finally {
			this.active.remove(call);
		}
	}

	/**
	 * Return whether this thread has one of the keys already, which it may not have for
	 * more than reading. Asked before the call: a refused one ends when what it had is
	 * released, and the lock of before may be lost by then.
	 */
	private static boolean wouldWaitForItself(SimulatedCall call) {
		return LockContext.capture()
			.handles()
			.stream()
			.flatMap((handle) -> handle.parts().stream())
			.anyMatch(
					(part) -> part.isValid() && call.parts().stream().anyMatch((own) -> own.key().equals(part.key())));
	}

	private void interrupt(SimulatedCall call) {
		if (this.active.contains(call) && !call.over) {
			this.interrupted = true;
			this.active.forEach((each) -> each.disturbed = true);
			this.node.interrupt(this.thread);
		}
	}

	private void acquired(SimulatedCall call, LockHandle handle, int depth) {
		this.checks.end(call, null);
		SimulatedHold hold = opened(call, handle);
		if (depth == 0 && strays(10)) {
			this.node.keep(hold);
			return;
		}
		work(hold, depth);
		if (strays(30)) {
			this.world.later(someTime(), this.node, Role.CALLER, "closes elsewhere", () -> closeAsync(hold));
			this.node.clock().sleep(someTime());
			if (hold.closing) {
				return;
			}
		}
		this.checks.closing(hold);
		inTime("close", this.node.commandTimeout(), handle::close);
	}

	private String body(SimulatedCall call, int depth) {
		LockHandle handle = LockContext.find().orElse(null);
		this.checks.bodyStarts(call, handle);
		if (handle != null) {
			SimulatedHold hold = opened(call, handle);
			work(hold, depth);
			this.checks.closing(hold);
		}
		this.checks.bodyEnds(call);
		switch (this.faults.oneOf(0, 0, 0, 0, 0, 0, 1, 2)) {
			case 1 -> throw new SimulatedFaults.SimulatedException("body");
			case 2 -> SimulatedFaults.throwError("body");
			default -> {
				// ends normally
			}
		}
		return "done";
	}

	private void view(SimulatedCall call, int depth) throws InterruptedException {
		Lock lock = this.node.template().asLock(call.request);
		boolean locked = true;
		if (call.how.equals("tryLock")) {
			locked = chance(500) ? lock.tryLock()
					: lock.tryLock(call.longestNanos - this.node.commandTimeout(), TimeUnit.NANOSECONDS);
		}
		else if (chance(500)) {
			lock.lock();
		}
		else {
			lock.lockInterruptibly();
		}
		if (!locked) {
			this.checks.contendedEnd(call);
			return;
		}
		this.checks.end(call, null);
		LockHandle handle = LockContext.find().orElse(null);
		if (handle == null) {
			this.checks.violation(9, call + " returns without the lock");
			return;
		}
		SimulatedHold hold = opened(call, handle);
		SimulatedCall crossed = (depth == 0 && call.parts().size() > 1) ? crossing(call, "tryLock") : null;
		if (crossed != null && !keys(crossed).equals(keys(call))) {
			crossed(crossed, () -> unlock(call, hold, lock));
		}
		else {
			work(hold, depth);
			unlock(call, hold, lock);
		}
	}

	/**
	 * Take locks, and release those of before first.
	 */
	private void crossed(SimulatedCall call, Runnable unlockBefore) {
		boolean refusable = wouldWaitForItself(call);
		this.checks.begin(call);
		this.active.add(call);
		call.disturbed = this.interrupted;
		Lock lock = this.node.template().asLock(call.request);
		SimulatedHold hold = null;
		try {
			if (lock.tryLock()) {
				hold = opened(call, LockContext.current());
			}
			this.checks.end(call, null);
		}
		catch (LockException ex) {
			this.checks.end(call, ex);
		}
		catch (IllegalStateException ex) {
			this.checks.end(call, refusable ? null : ex);
		}
		finally {
			this.active.remove(call);
		}
		unlockBefore.run();
		if (hold != null) {
			unlock(call, hold, lock);
		}
	}

	private static Set<String> keys(SimulatedCall call) {
		return call.parts()
			.stream()
			.map((part) -> part.type() + part.key())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private void unlock(SimulatedCall call, SimulatedHold hold, Lock lock) {
		this.checks.closing(hold);
		inTime("unlock", this.node.commandTimeout(), lock::unlock);
		if (!hold.handle.isClosed()) {
			this.checks.violation(3, "unlock of " + call + " closed another lock");
		}
	}

	private void work(SimulatedHold hold, int depth) {
		this.node.clock().sleep(someTime());
		if (this.setting.storm() != null) {
			return;
		}
		if (this.setting.readsOn() && hold.call.request.type() == LockType.WRITE && hold.parts.size() == 1
				&& hold.call.how.contains("cquire") && chance(300)) {
			readOn(hold, depth);
			return;
		}
		switch (this.faults.oneOf(0, 0, 0, 0, 0, 1, 2, 3, 4)) {
			case 1 -> extend(hold);
			case 2 -> extendBlocking(hold);
			case 3 -> again(hold, depth);
			case 4 -> {
				SimulatedCall inner = (depth < 2) ? next(how(true), true) : null;
				if (inner != null) {
					make(inner, depth + 1);
				}
			}
			default -> {
				// works without asking for more
			}
		}
		this.node.clock().sleep(someTime());
	}

	private void extendBlocking(SimulatedHold hold) {
		Duration time = Duration.ofMillis(1 + random(2000));
		hold.extended();
		// a command time-out may be so long that several overflow
		long longest = Math.min(this.node.commandTimeout(), Long.MAX_VALUE / 4 / hold.parts.size());
		inTime("extend", longest * hold.parts.size(), () -> {
			try {
				if (chance(500)) {
					hold.handle.extend(time);
				}
				else {
					hold.handle.ensureAtLeast(time);
					if (hold.handle.remaining().compareTo(time.minusMillis(1)) < 0 && !this.node.isClosing()
							&& !this.node.wasPausedWithin(this.faults.slack())) {
						this.checks.violation(6,
								"%s has %s left though %s were granted".formatted(hold, hold.handle.remaining(), time));
					}
				}
			}
			catch (LockLostException | LockUnavailableException ex) {
				// as documented
			}
		});
	}

	/**
	 * Release what was acquired for writing, and go on reading.
	 */
	private void readOn(SimulatedHold writing, int depth) {
		SimulatedCall inner = again(writing.call, "acquire", LockType.READ);
		this.checks.begin(inner);
		inner.disturbed = this.interrupted;
		this.active.add(inner);
		try {
			LockHandle handle = this.node.template().acquire(inner.request);
			this.checks.end(inner, null);
			SimulatedHold reading = opened(inner, handle);
			this.checks.closing(writing);
			inTime("close", this.node.commandTimeout(), writing.handle::close);
			work(reading, depth + 1);
			this.checks.closing(reading);
			inTime("close", this.node.commandTimeout(), handle::close);
		}
		catch (LockException ex) {
			this.checks.end(inner, ex);
		}
		finally {
			this.active.remove(inner);
		}
	}

	/**
	 * Who has a lock has it again at once, and nobody asks the backend.
	 */
	private void again(SimulatedHold hold, int depth) {
		if (hold.parts.size() != 1 || hold.call.request.type() == LockType.SEMAPHORE || depth > 2) {
			return;
		}
		SimulatedCall inner = again(hold.call, "acquire", chance(500) ? hold.call.request.type() : LockType.EXCLUSIVE);
		boolean upgrade = hold.call.request.type() == LockType.READ && inner.request.type() != LockType.READ;
		this.checks.begin(inner);
		inner.disturbed = this.interrupted;
		this.active.add(inner);
		boolean valid = hold.handle.isValid();
		try {
			LockHandle handle = this.node.template().acquire(inner.request);
			this.checks.end(inner, null);
			if (valid && inner.asked > 0 && hold.handle.isValid()) {
				this.checks.violation(9, inner + " asks the backend for what its caller has");
			}
			SimulatedHold innerHold = opened(inner, handle);
			work(innerHold, depth + 1);
			this.checks.closing(innerHold);
			handle.close();
		}
		catch (IllegalStateException ex) {
			this.checks.end(inner, upgrade ? null : ex);
		}
		catch (SimulatedThread.Killed ex) {
			throw ex;
		}
		catch (Throwable ex) {
			this.checks.end(inner, ex);
			if (valid && hold.handle.isValid() && !this.node.isClosing()) {
				this.checks.violation(9, inner + " does not get what its caller has");
			}
		}
		finally {
			this.active.remove(inner);
		}
	}

	/**
	 * Promise 8, for what a holder does.
	 */
	private void inTime(String what, long nanos, Runnable step) {
		long begun = this.world.now();
		step.run();
		long took = this.world.now() - begun;
		if (took > this.node.clock().worldNanos(nanos) + this.faults.slack() && !this.node.wasPausedWithin(took)) {
			this.checks.violation(8, "%s took %,d us".formatted(what, took / 1000));
		}
	}

}
