package io.distributedlock.engine;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.event.LockObservation;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BothLocksTests {

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(new LocalLockProvider())
		.build();

	private final ReentrantLock old = new ReentrantLock();

	private final Lock both = new BothLocks(this.old, this.template.asLock(LockRequest.of("k")));

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void bothAreHeldAndReleased() throws Exception {
		this.both.lock();
		requireBothAndUnlock();
		this.both.lockInterruptibly();
		requireBothAndUnlock();
		assertThat(this.both.tryLock()).isTrue();
		requireBothAndUnlock();
		assertThat(this.both.tryLock(1, TimeUnit.MINUTES)).isTrue();
		requireBothAndUnlock();
	}

	@Test
	void oldLockIsReleasedIfOursIsTaken() throws Exception {
		try (LockHandle other = acquireElsewhere()) {
			assertThat(this.both.tryLock()).isFalse();
			assertThat(this.old.isLocked()).isFalse();
			assertThat(this.both.tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
			assertThat(this.old.isLocked()).isFalse();
			assertThat(other.isValid()).isTrue();
		}
	}

	@Test
	void oldLockIsReleasedIfOursFails() {
		this.template.close();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.both::lock);
		assertThat(this.old.isLocked()).isFalse();
	}

	/**
	 * As where its lease has ended.
	 */
	@Test
	void interruptIsToldThoughTheOldLockIsLostMeanwhile() {
		try (DefaultLockTemplate observed = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.observer((call) -> {
				this.old.unlock();
				Thread.currentThread().interrupt();
				return new LockObservation() {
				};
			})
			.build()) {
			Lock lost = new BothLocks(this.old, observed.asLock(LockRequest.of("k")));
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(lost::lockInterruptibly)
				.satisfies((ex) -> assertThat(ex.getSuppressed())
					.hasExactlyElementsOfTypes(IllegalMonitorStateException.class));
		}
	}

	@Test
	void oursIsNotAskedForWhileTheOldOneIsTaken() {
		this.old.lock();
		assertThat(CompletableFuture.supplyAsync(this.both::tryLock).join()).isFalse();
		assertThat(isFree()).isTrue();
	}

	@Test
	void oldLockIsReleasedIfTheReleaseOfOursFails() {
		this.old.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.both::unlock);
		assertThat(this.old.isLocked()).isFalse();
	}

	@Test
	void oldLockMayBeAFunction() throws Exception {
		AutoCloseable held = BothLocks.acquire(this::takeOld, () -> this.template.acquire(LockRequest.of("k")));
		try (held) {
			assertThat(this.old.isHeldByCurrentThread()).isTrue();
			assertThat(isFree()).isFalse();
		}
		assertThat(this.old.isLocked()).isFalse();
		assertThat(isFree()).isTrue();
	}

	@Test
	void functionsAreReleasedInReverseOrderThoughOneFails() {
		AutoCloseable ours = () -> {
			assertThat(this.old.isLocked()).isTrue();
			throw new IOException("release");
		};
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> BothLocks.acquire(this::takeOld, () -> ours).close());
		assertThat(this.old.isLocked()).isFalse();
	}

	@Test
	void oldFunctionIsReleasedIfOursFails() {
		this.template.close();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> BothLocks.acquire(this::takeOld, () -> this.template.acquire(LockRequest.of("k"))));
		assertThat(this.old.isLocked()).isFalse();
	}

	private AutoCloseable takeOld() {
		this.old.lock();
		return this.old::unlock;
	}

	private void requireBothAndUnlock() {
		assertThat(this.old.isHeldByCurrentThread()).isTrue();
		assertThat(isFree()).isFalse();
		this.both.unlock();
		assertThat(this.old.isLocked()).isFalse();
		assertThat(isFree()).isTrue();
	}

	private boolean isFree() {
		return CompletableFuture.supplyAsync(() -> this.template.tryExecute(LockRequest.of("k"), () -> {
		})).join();
	}

	private LockHandle acquireElsewhere() {
		return CompletableFuture.supplyAsync(() -> this.template.acquire(LockRequest.of("k"))).join();
	}

}
