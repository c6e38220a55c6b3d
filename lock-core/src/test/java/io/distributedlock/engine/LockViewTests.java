package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The view as a {@link Lock}: who returns from it has the lock, and who unlocks it
 * releases that lock and no other.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
// what is unlocked when is what these tests are about
@SuppressWarnings("LockNotBeforeTry")
class LockViewTests {

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(new LocalLockProvider())
		.build();

	@AfterEach
	void close() {
		this.template.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockReturnsOnlyWithTheLock(boolean interruptibly) throws Exception {
		Lock lock = this.template.asLock(LockRequest.of("k").withMaxWaiters(0));
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger refused = new AtomicInteger();
		CountDownLatch leave = new CountDownLatch(1);
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			callers.add(CompletableFuture.runAsync(() -> {
				try {
					lock(lock, interruptibly);
				}
				catch (LockNotAcquiredException ex) {
					assertThat(ex.getReason()).isEqualTo(Reason.CROWDED);
					refused.incrementAndGet();
					return;
				}
				inside.incrementAndGet();
				awaitUninterruptibly(leave);
				lock.unlock();
			}, (task) -> new Thread(task).start()));
		}
		Patience.await().until(() -> inside.get() + refused.get() == 4);
		assertThat(inside).as("inside at once").hasValue(1);
		leave.countDown();
		for (CompletableFuture<Void> caller : callers) {
			caller.get(Patience.SECONDS, TimeUnit.SECONDS);
		}
		Leftovers.assertNone(this.template);
	}

	@Test
	void attemptWithoutAWaitIsNotInterrupted() {
		Lock lock = this.template.asLock(LockRequest.of("k"));
		Thread.currentThread().interrupt();
		assertThat(lock.tryLock()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		lock.unlock();
	}

	@Test
	void unlockOfSeveralKeysLeavesOtherLocksAlone() {
		Lock ab = this.template.asLock(LockRequest.ofAll(List.of("a", "b")));
		Lock ac = this.template.asLock(LockRequest.ofAll(List.of("a", "c")));
		ab.lock();
		ac.lock();
		ab.unlock();
		assertThat(isFree("b")).as("b").isTrue();
		assertThat(isFree("c")).as("c").isFalse();
		assertThat(isFree("a")).as("a").isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(ab::unlock);
		ac.unlock();
		assertThat(isFree("a") && isFree("c")).isTrue();
		Leftovers.assertNone(this.template);
	}

	@Test
	void unlockOfOneKeyDoesNotOpenSeveral() {
		Lock ab = this.template.asLock(LockRequest.ofAll(List.of("a", "b")));
		Lock a = this.template.asLock(LockRequest.of("a"));
		ab.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(a::unlock);
		a.lock();
		a.unlock();
		assertThat(isFree("a")).isFalse();
		ab.unlock();
		Leftovers.assertNone(this.template);
	}

	@Test
	void unlockGivesAPermitBack() {
		LockRequest permit = LockRequest.of("k").withPermits(1);
		Lock lock = this.template.asLock(permit);
		lock.lock();
		boolean second = OtherThread.call(lock::tryLock);
		assertThat(second).isFalse();
		lock.unlock();
		assertThat(OtherThread.call(() -> this.template.tryAcquire(permit)))
			.hasValueSatisfying((handle) -> handle.close());
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		Leftovers.assertNone(this.template);
	}

	@Test
	void permitAndLockOfOneKeyAreUnlockedEachByItsOwnView() {
		Lock permit = this.template.asLock(LockRequest.of("k").withPermits(1));
		Lock lock = this.template.asLock(LockRequest.of("k"));
		permit.lock();
		lock.lock();
		permit.unlock();
		assertThat(isFree("k")).as("the lock").isFalse();
		lock.unlock();
		Leftovers.assertNone(this.template);
	}

	private boolean isFree(String key) {
		return OtherThread.call(() -> this.template.tryAcquire(key).map((handle) -> {
			handle.close();
			return true;
		})).isPresent();
	}

	private static void lock(Lock lock, boolean interruptibly) {
		try {
			if (interruptibly) {
				lock.lockInterruptibly();
			}
			else {
				lock.lock();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
