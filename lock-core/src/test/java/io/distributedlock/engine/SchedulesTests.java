package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.engine.internal.handle.SingleHandle;
import io.distributedlock.engine.internal.runtime.Timers;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static io.distributedlock.engine.HeldByHand.require;

/**
 * Small pieces of the engine under hundreds of schedules of their threads, each of which
 * replays. They take minutes; {@code docs/testing.md} says how to run them.
 */
@EnabledIfSystemProperty(named = "lock.test.schedules", matches = "true")
class SchedulesTests {

	private static final long SECOND = 1_000_000_000;

	@Test
	void lockEndsOnceByCloseOrLoss() {
		Schedules.exploreAbove(EndOfLock.class, 4, 300);
	}

	@Test
	void lockEndsOnceThoughAHandleIsClosedTwice() {
		Schedules.exploreAbove(ClosedTwice.class, 3, 300);
	}

	@Test
	void lossIsToldToWhoeverAsks() {
		Schedules.exploreAbove(ToldOfLoss.class, 3, 300);
	}

	@Test
	void keeperLooksAtTheEarliestTime() {
		Schedules.exploreAbove(NextLook.class, 3, 300);
	}

	@Test
	void timerRunsOnceOrIsCancelled() {
		Schedules.explore(TimersAtOnce.class, 4, 300);
	}

	/**
	 * Two handles of a lock are closed while the backend says that it is lost, and while
	 * one of them asks to be told.
	 */
	public static class EndOfLock {

		private final HeldByHand held = new HeldByHand();

		private final SingleHandle other = this.held.reenter();

		private final AtomicInteger told = new AtomicInteger();

		@Operation(runOnce = true)
		public void close() {
			this.held.handle.leave(true);
		}

		@Operation(runOnce = true)
		public void closeOther() {
			this.other.leave(true);
		}

		@Operation(runOnce = true)
		public void lose() {
			this.held.template.keeper.lose(this.held.lock, "the backend says so");
		}

		@Operation(runOnce = true)
		public void listen() {
			this.other.onLost((loss) -> this.told.incrementAndGet());
		}

		@Validate
		public void check() {
			this.held.requireEnded(true);
			require(this.told.get() <= (this.held.isLost() ? 1 : 0), "a handle was told wrongly");
		}

	}

	/**
	 * One handle is closed by two threads, and another is opened meanwhile.
	 */
	public static class ClosedTwice {

		private final HeldByHand held = new HeldByHand();

		private volatile SingleHandle entered;

		@Operation(runOnce = true)
		public void close() {
			this.held.handle.leave(true);
		}

		@Operation(runOnce = true)
		public void closeAgain() {
			this.held.handle.leave(true);
		}

		@Operation(runOnce = true)
		public void enter() {
			if (this.held.lock.enter()) {
				this.entered = this.held.newHandle();
			}
		}

		@Validate
		public void check() {
			if (this.entered != null) {
				require(this.held.lock.isHeld(), "released while a holder is inside");
				require(this.held.releases.get() == 0, "the lease was released while a holder is inside");
				this.entered.leave(true);
			}
			this.held.requireEnded(true);
			require(!this.held.isLost(), "lost by nobody");
		}

	}

	/**
	 * Two ask to be told of a loss that happens in that moment.
	 */
	public static class ToldOfLoss {

		private final HeldByHand held = new HeldByHand();

		private final AtomicInteger first = new AtomicInteger();

		private final AtomicInteger second = new AtomicInteger();

		@Operation(runOnce = true)
		public void lose() {
			this.held.template.keeper.lose(this.held.lock, "the backend says so");
		}

		@Operation(runOnce = true)
		public void listen() {
			this.held.handle.onLost((loss) -> this.first.incrementAndGet());
		}

		@Operation(runOnce = true)
		public void listenAsWell() {
			this.held.handle.onLost((loss) -> this.second.incrementAndGet());
		}

		@Validate
		public void check() {
			require(this.first.get() == 1, "the first was not told once");
			require(this.second.get() == 1, "the second was not told once");
			this.held.requireEnded(false);
		}

	}

	/**
	 * What is to be done first changes twice at the same time.
	 */
	public static class NextLook {

		private final HeldByHand held = new HeldByHand();

		private final AtomicInteger early = new AtomicInteger();

		private final AtomicInteger late = new AtomicInteger();

		@Operation(runOnce = true)
		public void watchEarly() {
			this.held.handle.onExpiring(Duration.ofSeconds(25), this.early::incrementAndGet);
		}

		@Operation(runOnce = true)
		public void watchLate() {
			this.held.handle.onExpiring(Duration.ofSeconds(22), this.late::incrementAndGet);
		}

		@Operation(runOnce = true)
		public void look() {
			this.held.template.keeper.lookAgain(this.held.lock);
		}

		@Validate
		public void check() {
			this.held.runUntil(HeldByHand.LEASE.minusSeconds(24).toNanos());
			require(this.early.get() == 1, "the early one was not warned once");
			require(this.late.get() == 0, "the late one was warned too early");
			this.held.runUntil(HeldByHand.LEASE.minusSeconds(21).toNanos());
			require(this.late.get() == 1, "the late one was not warned once");
		}

	}

	/**
	 * Timers are added and cancelled while their time comes and while all are closed.
	 */
	public static class TimersAtOnce {

		private final ScheduledByHand runtime = new ScheduledByHand();

		private final Timers timers = new Timers(this.runtime);

		private final AtomicInteger added = new AtomicInteger();

		private final AtomicInteger cancelled = new AtomicInteger();

		private final Timers.Timer before = this.timers.at(2 * SECOND, this.cancelled::incrementAndGet);

		private volatile boolean cancelledFirst;

		@Operation(runOnce = true)
		public void add() {
			this.timers.at(2 * SECOND, this.added::incrementAndGet);
		}

		@Operation(runOnce = true)
		public void cancel() {
			this.cancelledFirst = this.cancelled.get() == 0;
			this.before.cancel();
		}

		@Operation(runOnce = true)
		public void pass() {
			this.runtime.moveTo(3 * SECOND);
			this.runtime.runTimers();
		}

		@Operation(runOnce = true)
		public void close() {
			this.timers.close();
		}

		@Validate
		public void check() {
			this.runtime.moveTo(10 * SECOND);
			this.runtime.runTimers();
			require(this.added.get() == 1, "the one that was added did not run once");
			require(this.cancelled.get() <= 1, "one ran twice");
			require(this.cancelledFirst || this.cancelled.get() == 1, "one was never run");
			require(this.timers.size() == 0, "timers are left");
		}

	}

}
