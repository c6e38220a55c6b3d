package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.engine.internal.handle.SingleHandle;
import io.distributedlock.engine.internal.key.AcquisitionOutcome;
import io.distributedlock.engine.internal.key.Contender;
import io.distributedlock.engine.internal.key.LocalGate;
import io.distributedlock.engine.internal.key.Turn;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.runtime.Timers;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
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
	void gateLetsOneInAndForgetsNobody() {
		Schedules.explore(Gate.class, 4, 300);
	}

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
	 * Three come for one key. One of them gives up, or loses its lock, on another thread.
	 */
	public static class Gate {

		private final LocalGate gate = new LocalGate();

		private final List<Visitor> visitors = List.of(new Visitor(), new Visitor(), new Visitor());

		@Operation(runOnce = true)
		public void first() {
			this.visitors.get(0).visit();
		}

		@Operation(runOnce = true)
		public void second() {
			this.visitors.get(1).visit();
		}

		@Operation(runOnce = true)
		public void third() {
			this.visitors.get(2).come();
		}

		@Operation(runOnce = true)
		public void thirdGivesUp() {
			Visitor third = this.visitors.get(2);
			if (third.entered) {
				third.go();
			}
		}

		@Validate
		public void check() {
			for (int i = 0; i < this.visitors.size(); i++) {
				this.visitors.forEach(Visitor::goIfInside);
			}
			require(this.visitors.get(0).turns.get() == 1, "the first was forgotten");
			require(this.visitors.get(1).turns.get() == 1, "the second was forgotten");
			require(this.visitors.get(2).turns.get() <= 1, "the third had two turns");
			require(this.gate.size() == 0, "somebody is left in the gate");
		}

		private final class Visitor implements Contender {

			private final AtomicReference<String> state = new AtomicReference<>("waits");

			private final AtomicInteger turns = new AtomicInteger();

			private final Turn place = Gate.this.gate.turn("k", this);

			private volatile boolean entered;

			private void visit() {
				come();
				goIfInside();
			}

			private void goIfInside() {
				if (isInside()) {
					go();
				}
			}

			private boolean isInside() {
				return this.state.get().equals("inside");
			}

			private void come() {
				boolean inside = this.place.enter();
				this.entered = true;
				if (inside) {
					onTurn();
				}
			}

			@Override
			public void onTurn() {
				this.turns.incrementAndGet();
				if (this.state.compareAndSet("waits", "inside")) {
					for (Visitor other : Gate.this.visitors) {
						boolean both = other != this && other.isInside() && isInside();
						require(!both, "two are inside");
					}
				}
			}

			@Override
			public @Nullable AcquisitionOutcome verdict() {
				return null;
			}

			@Override
			public boolean fits(HeldLock lock) {
				return false;
			}

			@Override
			public void takeOver(HeldLock lock) {
				throw new AssertionError("nothing fits");
			}

			@Override
			public CompletionStage<Boolean> exchange(HeldLock lock) {
				throw new AssertionError("nothing is exchanged");
			}

			private void go() {
				this.state.set("gone");
				this.place.leave();
			}

		}

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
			this.held.handle.leave();
		}

		@Operation(runOnce = true)
		public void closeOther() {
			this.other.leave();
		}

		@Operation(runOnce = true)
		public void lose() {
			this.held.engine.keeper().lose(this.held.lock, "the backend says so");
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
			this.held.handle.leave();
		}

		@Operation(runOnce = true)
		public void closeAgain() {
			this.held.handle.leave();
		}

		@Operation(runOnce = true)
		public void enter() {
			if (this.held.lock.holders().enter()) {
				this.entered = this.held.newHandle();
			}
		}

		@Validate
		public void check() {
			if (this.entered != null) {
				require(this.held.lock.isHeld(), "released while a holder is inside");
				require(this.held.releases.get() == 0, "the lease was released while a holder is inside");
				this.entered.leave();
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
			this.held.engine.keeper().lose(this.held.lock, "the backend says so");
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
			this.held.engine.keeper().lookAgain(this.held.lock);
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
