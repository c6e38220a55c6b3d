package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.engine.HeldByHand;
import io.distributedlock.engine.ScheduledByHand;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.request.KeyId;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Callbacks;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Renewals that have no answer, and a keeper that stops while others have one.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LeaseKeeperTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final LockAttempt ATTEMPT = new LockAttempt("", new KeyId("p", 0, "k"), new LocalLockProvider(),
			LockType.EXCLUSIVE, 1, Duration.ZERO, false, LEASE, true, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO,
			true);

	private static final Passage PASSAGE = new HeldByHand();

	private final ScheduledByHand runtime = new ScheduledByHand();

	private final Timers timers = new Timers(this.runtime);

	private final LeaseKeeper keeper = new LeaseKeeper(this.runtime, this.timers,
			new ProviderCalls(this.runtime, this.timers, Duration.ofSeconds(3)), new Listeners(this.runtime, List.of()),
			new Callbacks(this.runtime, null), (keeper) -> {
			}, (abandoned) -> {
			});

	/**
	 * The lease may be passed on to another holder, whose term it could still cut.
	 */
	@Test
	void renewalWithoutAnAnswerIsKnownThoughTheHolderHasJustLeft() {
		HeldLock lock = held(0);
		runUntil(11);
		assertThat(lock.requests().isIdle()).as("a renewal is not under way").isFalse();
		lock.markReleased();
		runUntil(15);
		assertThat(lock.requests().isIdle()).isTrue();
		assertThat(lock.clock().isSettled(this.runtime.nanoTime())).isFalse();
	}

	/**
	 * Otherwise it would be neither renewed nor would anybody hear of its end.
	 */
	@Test
	void lockForWhoseNextTimerThereIsNoMemoryIsLost() {
		HeldLock lock = held(0);
		runUntil(5);
		this.runtime.outOfMemory(true);
		runUntil(11);
		this.runtime.outOfMemory(false);
		runUntil(60);
		assertThat(lock.loss()).isNotNull();
		assertThat(this.keeper.size()).isZero();
	}

	@Test
	void stopsWhileRenewalsAreAnswered() throws InterruptedException {
		SplittableRandom random = new SplittableRandom(1);
		List<HeldLock> locks = new ArrayList<>();
		for (int i = 0; i < 20_000; i++) {
			locks.add(held(random.nextLong(1_000_000)));
		}
		Thread answers = new Thread(() -> {
			for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
				renew(locks.get(i % locks.size()), random.nextLong(1_000_000));
			}
		});
		answers.start();
		try {
			assertThat(this.keeper.stop()).hasSameSizeAs(locks);
		}
		finally {
			answers.interrupt();
			answers.join();
		}
		assertThat(this.keeper.size()).isZero();
	}

	private void renew(HeldLock lock, long later) {
		LeaseClock clock = lock.clock();
		LeaseClock.Request request = clock.sent(0, LEASE);
		clock.renewed(new LeaseTerm(clock.term().startNanos() + later, LEASE), 0, request);
	}

	private void runUntil(int second) {
		for (int i = 0; i <= second; i++) {
			this.runtime.moveTo(Duration.ofSeconds(i).toNanos());
			this.runtime.runTimers();
		}
	}

	private HeldLock held(long startNanos) {
		HeldLock lock = new HeldLock(ATTEMPT, new Unanswering(new LeaseTerm(startNanos, LEASE)), PASSAGE, this.keeper);
		assertThat(this.keeper.track(lock)).isTrue();
		return lock;
	}

	/**
	 * A lease whose backend never answers.
	 *
	 * @param term its term
	 */
	private record Unanswering(LeaseTerm term) implements Lease {

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			return new CompletableFuture<>();
		}

		@Override
		public CompletionStage<Boolean> release() {
			return new CompletableFuture<>();
		}

	}

}
