package io.distributedlock.engine.internal.key;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.engine.HeldByHand;
import io.distributedlock.engine.Schedules;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Successor;
import io.distributedlock.engine.internal.request.KeyId;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static io.distributedlock.engine.HeldByHand.require;

/**
 * A key under hundreds of schedules of the threads that want it, each of which replays.
 * They take minutes; {@code docs/testing.md} says how to run them.
 */
@EnabledIfSystemProperty(named = "lock.test.schedules", matches = "true")
class KeyLockSchedulesTests {

	private static final KeyId KEY = new KeyId("p", 0, "k");

	@Test
	void oneIsInFrontAndNobodyIsForgotten() {
		Schedules.explore(Turns.class, 4, 300);
	}

	@Test
	void oneHoldsTheLockThoughItIsLostOrPassedOn() {
		Schedules.explore(Holds.class, 4, 300);
	}

	/**
	 * Three come for one key. One of them gives up on another thread.
	 */
	public static class Turns {

		private final KeyLocks keys = new KeyLocks();

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
			require(this.keys.size() == 0, "a key is left");
		}

		private final class Visitor extends TestWaiter {

			private final AtomicReference<String> state = new AtomicReference<>("waits");

			private final AtomicInteger turns = new AtomicInteger();

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
				boolean inside = Turns.this.keys.enter(KEY, this);
				this.entered = true;
				if (inside) {
					onTurn();
				}
			}

			@Override
			public void onTurn() {
				this.turns.incrementAndGet();
				if (this.state.compareAndSet("waits", "inside")) {
					for (Visitor other : Turns.this.visitors) {
						boolean both = other != this && other.isInside() && isInside();
						require(!both, "two are inside");
					}
				}
			}

			private void go() {
				this.state.set("gone");
				key().leave(this);
			}

		}

	}

	/**
	 * Three come for one key and take its lock, which passes from one to the other. That
	 * of the first is lost on another thread, once more when it has left.
	 */
	public static class Holds {

		private static final List<HeldLock> LOCKS = List.of(new HeldByHand().lock, new HeldByHand().lock,
				new HeldByHand().lock);

		private final KeyLocks keys = new KeyLocks();

		private final List<Caller> callers = LOCKS.stream().map(Caller::new).toList();

		@Operation(runOnce = true)
		public void first() {
			this.callers.get(0).call();
		}

		@Operation(runOnce = true)
		public void firstIsLost() {
			this.callers.get(0).lose();
		}

		@Operation(runOnce = true)
		public void second() {
			this.callers.get(1).call();
		}

		@Operation(runOnce = true)
		public void third() {
			this.callers.get(2).call();
		}

		@Validate
		public void check() {
			this.callers.forEach((caller) -> require(caller.turns.get() == 1, "a call had not one turn"));
			require(this.keys.size() == 0, "a key is left");
		}

		private final class Caller extends TestWaiter {

			private final HeldLock lock;

			private final AtomicInteger turns = new AtomicInteger();

			private volatile boolean asks;

			private Caller(HeldLock lock) {
				this.lock = lock;
			}

			private void call() {
				if (Holds.this.keys.enter(KEY, this)) {
					onTurn();
				}
			}

			private void lose() {
				KeyLock at = knownKey();
				if (at != null) {
					at.leave(this.lock);
				}
			}

			@Override
			public void onTurn() {
				this.asks = true;
				Holds.this.callers.forEach((other) -> require(other == this || !other.asks || !this.asks, "two ask"));
				this.asks = false;
				have();
			}

			private void have() {
				this.turns.incrementAndGet();
				KeyLock at = key();
				at.hold(this, this.lock);
				Successor next = at.passOn(this.lock);
				if (next != null) {
					next.takeOver(this.lock);
				}
				at.leave(this.lock);
			}

			@Override
			public boolean fits(HeldLock before) {
				return true;
			}

			@Override
			public void takeOver(HeldLock before) {
				have();
			}

		}

	}

}
