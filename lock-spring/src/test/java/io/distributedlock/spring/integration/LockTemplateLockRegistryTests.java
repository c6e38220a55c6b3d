package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockObservation;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@SuppressWarnings("LockNotBeforeTry")
class LockTemplateLockRegistryTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(new LocalLockProvider())
		.build();

	private final LockTemplateLockRegistry registry = new LockTemplateLockRegistry(this.template,
			LockRequest.of("integration"));

	private final DistributedLock lock = this.registry.obtain("k");

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void lockWithALeaseTimeIsRenewedForThatTime() throws InterruptedException {
		this.lock.lock(LEASE);
		assertIsRenewed();
		this.lock.lock();
		this.lock.unlock();
		assertIsRenewed();
		this.lock.unlock();
		assertThat(this.lock.tryLock(Duration.ZERO, LEASE)).isTrue();
		assertIsRenewed();
		this.lock.unlock();
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("k")).withMessageContaining("'k'");
	}

	/**
	 * Otherwise a leader would lose its lock to a limit for others.
	 */
	@Test
	void lockIsAutoRenewedAlsoIfTheTemplateHasALeaseTime() throws InterruptedException {
		try (DefaultLockTemplate limited = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.leaseTime(LEASE)
			.build()) {
			DistributedLock each = new LockTemplateLockRegistry(limited, LockRequest.of("integration")).obtain("k");
			each.lock();
			assertThat(isAutoRenewed(limited)).isTrue();
			each.unlock();
			each.lockInterruptibly();
			assertThat(isAutoRenewed(limited)).isTrue();
			each.unlock();
			assertThat(each.tryLock()).isTrue();
			assertThat(isAutoRenewed(limited)).isTrue();
			each.unlock();
			assertThat(each.tryLock(1, TimeUnit.MINUTES)).isTrue();
			assertThat(isAutoRenewed(limited)).isTrue();
			each.unlock();
			each.lock(LEASE);
			assertThat(isAutoRenewed(limited)).isFalse();
			each.unlock();
		}
	}

	private static boolean isAutoRenewed(DefaultLockTemplate template) {
		return template.activity().held().get(0).autoRenewed();
	}

	@Test
	void lockThatEndedWithoutItsHolderLeavesNoLeaseTime() throws InterruptedException {
		onAnotherThread(() -> this.lock.lock(Duration.ofMillis(50)));
		assertThat(this.lock.tryLock(1, TimeUnit.MINUTES)).isTrue();
		Duration before = LockContext.current().remaining();
		this.registry.renewLock("k");
		assertThat(LockContext.current().remaining()).isGreaterThan(before.dividedBy(2));
		this.lock.unlock();
	}

	@Test
	void unlockOfALostLockLeavesTheLeaseTimeOfItsSuccessor() throws Exception {
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			other.submit(() -> this.lock.lock(Duration.ofMillis(50))).get();
			this.lock.lock(LEASE);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> other.submit(this.lock::unlock).get())
				.withCauseInstanceOf(ConcurrentModificationException.class);
			assertIsRenewed();
			this.lock.unlock();
		}
		finally {
			other.shutdown();
		}
	}

	/**
	 * As with the registries of Spring Integration.
	 */
	@Test
	void lastUnlockOfALostLockTellsTheLoss() {
		this.lock.lock();
		this.lock.lock();
		this.template.close();
		this.lock.unlock();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("lost");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	/**
	 * As by a callback that closes what this thread has acquired.
	 */
	@Test
	void lossIsToldAlsoIfAnotherLockEndsDuringTheUnlock() {
		AtomicReference<LockHandle> other = new AtomicReference<>();
		DefaultLockTemplate observed = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.observer((call) -> new LockObservation() {

				@Override
				public void released() {
					LockHandle open = other.getAndSet(null);
					if (open != null) {
						open.close();
					}
				}

			})
			.build();
		try (observed) {
			DistributedLock twice = new LockTemplateLockRegistry(observed, LockRequest.of("integration")).obtain("k");
			twice.lock(Duration.ofMillis(50));
			LockHandle lost = LockContext.current();
			Patience.await().until(() -> !lost.isValid());
			twice.lock();
			other.set(observed.acquire("other"));
			assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(twice::unlock);
			assertThat(other).hasNullValue();
			assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(twice::unlock);
		}
	}

	/**
	 * Its leader locks again and again, and unlocks, to see whether it still has the
	 * lock.
	 */
	@Test
	void leaderElectionNoticesALossThatNobodyUsed() {
		LockTemplateLockRegistry limited = new LockTemplateLockRegistry(this.template,
				LockRequest.of("leader").withLeaseTime(Duration.ofMillis(300)));
		List<String> events = new CopyOnWriteArrayList<>();
		LockRegistryLeaderInitiator leader = new LockRegistryLeaderInitiator(limited, new DefaultCandidate() {

			@Override
			public void onGranted(Context context) {
				events.add("granted");
			}

			@Override
			public void onRevoked(Context context) {
				events.add("revoked");
			}

		});
		leader.setHeartBeatMillis(50);
		leader.start();
		try {
			Patience.await().until(() -> events.size() > 2);
			assertThat(events).startsWith("granted", "revoked", "granted");
		}
		finally {
			leader.stop();
		}
	}

	@Test
	void waitMayBeAsLongAsADurationAndShorterThanAMillisecond() throws InterruptedException {
		assertThat(this.lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), LEASE)).isTrue();
		onAnotherThread(() -> {
			Duration wait = Duration.ofNanos(999_999);
			// a single attempt may take longer anyway
			for (int i = 0; i < 100; i++) {
				long start = System.nanoTime();
				assertThat(isLocked(wait)).isFalse();
				assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(wait.toNanos());
			}
		});
		this.lock.unlock();
	}

	/**
	 * The text of other objects differs from JVM to JVM.
	 */
	@Test
	void keysAreThoseOfAnnotatedMethods() {
		UUID id = new UUID(1, 2);
		this.registry.obtain(id).lock();
		assertThat(LockContext.current().key()).endsWith(":" + id);
		this.registry.obtain(id).unlock();
		for (Object key : List.of(new Object(), Set.of("a", "b"), new byte[] { 1 }, Optional.empty())) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(key));
		}
	}

	@Test
	void exactKeysAreThoseOfRegistriesForRedis() throws InterruptedException {
		LockTemplateLockRegistry files = new LockTemplateLockRegistry(this.template, LockRequest.ofExactKey("files"));
		files.executeLocked("in/a:b.csv", () -> assertThat(LockContext.current().key()).isEqualTo("files:in/a:b.csv"));
	}

	@Test
	void lockBelongsToItsThread() {
		this.lock.lock();
		assertThat(isLockedByAnotherThread()).isFalse();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> onAnotherThread(this.lock::unlock))
			.withCauseInstanceOf(IllegalMonitorStateException.class);
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> onAnotherThread(() -> this.registry.renewLock("k")))
			.withCauseInstanceOf(IllegalStateException.class);
		this.registry.renewLock("k");
		this.lock.unlock();
		assertThat(isLockedByAnotherThread()).isTrue();
	}

	private void assertIsRenewed() {
		LockHandle held = LockContext.capture().handles().get(0);
		Duration less = held.remaining().minusMillis(500);
		Patience.await().until(() -> held.remaining().compareTo(less) < 0);
		// again if this thread was stopped for that long after the renewal
		Patience.await().pollInSameThread().pollDelay(Duration.ZERO).until(() -> {
			this.registry.renewLock("k");
			return held.remaining().compareTo(less) > 0;
		});
	}

	private boolean isLocked(Duration wait) {
		try {
			return this.lock.tryLock(wait, LEASE);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private boolean isLockedByAnotherThread() {
		return CompletableFuture.supplyAsync(this.lock::tryLock, (run) -> new Thread(run).start()).join();
	}

	private static void onAnotherThread(Runnable task) {
		CompletableFuture.runAsync(task, (run) -> new Thread(run).start()).join();
	}

}
