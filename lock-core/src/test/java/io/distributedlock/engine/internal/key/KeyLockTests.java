package io.distributedlock.engine.internal.key;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.engine.HeldByHand;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.request.KeyId;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key under threads that come, leave and give up at the same time.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class KeyLockTests {

	private static final KeyId KEY = new KeyId("p", 0, "k");

	private static final int THREADS = 8;

	private static final int LEAVES = 100_000;

	private final KeyLocks keys = new KeyLocks();

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
		assertThat(this.keys.size()).isZero();
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
			inside.leave();
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
		assertThat(this.keys.size()).isZero();
	}

	/**
	 * A lock may be held for hours, and a node may hold thousands.
	 */
	@Test
	void callThatHoldsTheLockIsNotKept() {
		Visitor call = new Visitor("k");
		call.come();
		KeyLock key = call.key();
		HeldLock lock = new HeldByHand().lock;
		WeakReference<Visitor> kept = new WeakReference<>(call);
		key.hold(call, lock);
		call = null;
		Patience.await().until(() -> {
			System.gc();
			return kept.get() == null;
		});
		Visitor behind = new Visitor("k");
		behind.come();
		assertThat(behind.key().isHeld()).isTrue();
		key.leave(lock);
		assertThat(behind.turns).hasValue(1);
		behind.go();
	}

	/**
	 * A lock may be lost before its caller has it.
	 */
	@Test
	void lossLetsTheNextCallAsk() {
		Visitor call = new Visitor("k");
		call.come();
		Visitor behind = new Visitor("k");
		behind.come();
		HeldLock lock = new HeldByHand().lock;
		call.key().hold(call, lock);
		call.key().leave(lock);
		call.go();
		assertThat(behind.turns).hasValue(1);
		assertThat(behind.key().asking()).isSameAs(behind);
		behind.go();
		assertThat(this.keys.size()).isZero();
	}

	/**
	 * A call may end just when its lock comes.
	 */
	@Test
	void callThatHasLeftHoldsNothing() {
		Visitor call = new Visitor("k");
		call.come();
		Visitor behind = new Visitor("k");
		behind.come();
		call.go();
		HeldLock lock = new HeldByHand().lock;
		call.key().hold(call, lock);
		assertThat(call.key().isHeld()).isFalse();
		call.key().leave(lock);
		assertThat(behind.key().asking()).isSameAs(behind);
		behind.go();
	}

	/**
	 * Readers wait, and do not stand in line.
	 */
	@Test
	void keyThatCallsWaitForIsFree() {
		assertThat(this.keys.join(KEY, 1)).isTrue();
		assertThat(this.keys.join(KEY, 3)).isTrue();
		assertThat(this.keys.join(KEY, 1)).isFalse();
		Visitor call = new Visitor("k");
		call.come();
		assertThat(call.turns).hasValue(1);
		call.go();
		assertThat(this.keys.waitingFor(KEY)).isEqualTo(2);
		this.keys.part(KEY);
		this.keys.part(KEY);
		assertThat(this.keys.size()).isZero();
	}

	private static void leaveWhatComes(AtomicReference<Visitor> leaving, AtomicBoolean done) {
		while (!done.get()) {
			Visitor visitor = leaving.get();
			if (visitor != null) {
				visitor.leave();
				leaving.set(null);
			}
			Thread.onSpinWait();
		}
	}

	/**
	 * Who comes once, and goes once it had its turn, or before.
	 */
	private final class Visitor extends TestWaiter {

		private final AtomicInteger turns = new AtomicInteger();

		private final String name;

		private Visitor(String name) {
			this.name = name;
		}

		private void come() {
			if (KeyLockTests.this.keys.enter(new KeyId("p", 0, this.name), this)) {
				onTurn();
			}
		}

		private void leave() {
			key().leave(this);
		}

		private void go() {
			leave();
			// idempotent
			leave();
		}

		@Override
		public void onTurn() {
			if (this.turns.incrementAndGet() > 1) {
				KeyLockTests.this.calledTwice.incrementAndGet();
			}
		}

	}

}
