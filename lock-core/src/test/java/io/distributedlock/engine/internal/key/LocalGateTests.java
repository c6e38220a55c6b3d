package io.distributedlock.engine.internal.key;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The gate under threads that enter, leave and give up at the same time.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LocalGateTests {

	private static final int THREADS = 8;

	private static final int LEAVES = 100_000;

	private final LocalGate gate = new LocalGate();

	private final AtomicInteger calledTwice = new AtomicInteger();

	@Test
	void eachPlaceGetsOneTurnThoughOthersGiveUp() throws Exception {
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			threads.add(CompletableFuture.runAsync(this::comeAndGo, (task) -> new Thread(task).start()));
		}
		for (CompletableFuture<Void> thread : threads) {
			thread.get(Patience.SECONDS * 2, TimeUnit.SECONDS);
		}
		assertThat(this.calledTwice).as("turns that were given twice").hasValue(0);
		assertThat(this.gate.size()).isZero();
	}

	private void comeAndGo() {
		List<Visitor> waiting = new ArrayList<>();
		for (int i = 0; i < LEAVES; i++) {
			Visitor visitor = new Visitor("key" + i % 3);
			visitor.come();
			waiting.add(visitor);
			if (waiting.size() > 2) {
				// some give up, some have had their turn by now
				waiting.remove(ThreadLocalRandom.current().nextInt(waiting.size())).go();
			}
		}
		waiting.forEach(Visitor::go);
	}

	/**
	 * As a lock that is lost while it is released.
	 */
	@Test
	void placeThatIsLeftTwiceAtOnceLetsOneIn() throws Exception {
		AtomicReference<Visitor> leaving = new AtomicReference<>();
		AtomicBoolean done = new AtomicBoolean();
		CompletableFuture<Void> second = CompletableFuture.runAsync(() -> leaveWhatComes(leaving, done),
				(task) -> new Thread(task).start());
		Visitor inside = new Visitor("k");
		inside.come();
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
		for (int i = 0; i < 1_000_000 && System.nanoTime() - end < 0; i++) {
			Visitor next = new Visitor("k");
			next.come();
			leaving.set(inside);
			inside.place.leave();
			while (leaving.get() != null) {
				Thread.onSpinWait();
			}
			if (next.turns.get() != 1) {
				break;
			}
			inside = next;
		}
		inside.go();
		done.set(true);
		second.get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(this.calledTwice).as("turns that were given twice").hasValue(0);
		assertThat(this.gate.size()).isZero();
	}

	/**
	 * A lock may be held for hours, and a node may hold thousands.
	 */
	@Test
	void callThatHoldsTheLockIsNotKept() {
		Visitor call = new Visitor("k");
		call.come();
		Turn turn = call.place;
		WeakReference<Visitor> kept = new WeakReference<>(call);
		turn.hold();
		call = null;
		Patience.await().until(() -> {
			System.gc();
			return kept.get() == null;
		});
		Visitor behind = new Visitor("k");
		behind.come();
		assertThat(behind.place.verdict()).isEqualTo(AcquisitionOutcome.CONTENDED);
		turn.leave();
		assertThat(behind.turns).hasValue(1);
		behind.go();
	}

	private static void leaveWhatComes(AtomicReference<Visitor> leaving, AtomicBoolean done) {
		while (!done.get()) {
			Visitor visitor = leaving.get();
			if (visitor != null) {
				visitor.place.leave();
				leaving.set(null);
			}
			Thread.onSpinWait();
		}
	}

	/**
	 * Who comes once, and goes once it had its turn, or before.
	 */
	private final class Visitor implements Contender {

		private final AtomicInteger turns = new AtomicInteger();

		private final Turn place;

		private Visitor(String key) {
			this.place = LocalGateTests.this.gate.turn(key, this);
		}

		private void come() {
			if (this.place.enter()) {
				onTurn();
			}
		}

		@Override
		public void onTurn() {
			if (this.turns.incrementAndGet() > 1) {
				LocalGateTests.this.calledTwice.incrementAndGet();
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
			this.place.leave();
			// idempotent
			this.place.leave();
		}

	}

}
