package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOutcome;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UnlockedTests {

	private static final LockRequest REQUEST = LockRequest.of("42").withName("order");

	private final DefaultLockTemplate template = DefaultLockTemplate.builder().unlocked().build();

	@AfterEach
	void nothingStays() {
		assertThat(this.template.activity().held()).isEmpty();
		this.template.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void severalLocksHaveAHandleEach() {
		LockHandle both = this.template.acquire(LockRequest.ofAll(List.of("a", "b")));
		List<LockHandle> parts = both.parts();
		assertThat(parts).hasSize(2).allMatch(LockHandle::isValid);
		both.close();
		assertThat(parts).noneMatch(LockHandle::isValid);
		try (LockHandle one = this.template.acquire(REQUEST)) {
			assertThat(one.parts()).containsExactly(one);
		}
	}

	@Test
	void workRunsWhoeverElseIsInside() {
		String result = this.template.execute(REQUEST,
				() -> OtherThread.call(() -> this.template.execute(REQUEST, () -> "both inside")));
		LockOutcome<String> outcome = this.template.tryExecute(REQUEST, () -> "done");
		assertThat(result).isEqualTo("both inside");
		assertThat(outcome).isEqualTo(new LockOutcome<>(true, "done"));
	}

	@ParameterizedTest
	@EnumSource
	void everyTypeOfEveryProviderIsGranted(LockType type) throws Exception {
		LockRequest request = REQUEST.withType(type).withProvider("redis").withWaitTime(Duration.ZERO);
		LockHandle first = this.template.acquire(request);
		LockHandle second = OtherThread.call(() -> this.template.acquire(request));
		assertThat(first.isValid()).isTrue();
		assertThat(second.isValid()).isTrue();
		first.close();
		second.close();
	}

	@Test
	void handleIsNeverLost() {
		LockHandle handle = this.template.acquire(REQUEST.withLeaseTime(Duration.ofMillis(1)));
		handle.extend(Duration.ofMillis(1));
		assertThat(handle.remaining()).isGreaterThan(Duration.ofDays(365));
		handle.close();
	}

	@Test
	void workFindsItsHandle() {
		this.template.execute(REQUEST, () -> {
			LockHandle handle = LockContext.current();
			handle.ensureHeld();
			handle.extend(Duration.ofSeconds(1));
			handle.ensureAtLeast(Duration.ofDays(365));
			assertThat(handle.key()).isEqualTo("order:42");
			assertThat(handle.isValid()).isTrue();
			assertThat(handle.fencingToken()).isEmpty();
		});
	}

	@Test
	void closedHandleIsNotHeld() {
		LockHandle handle = this.template.acquire(REQUEST);
		handle.close();
		handle.close();
		assertThat(handle.isValid()).isFalse();
		assertThat(handle.remaining()).isZero();
		assertThatThrownBy(handle::ensureHeld).isInstanceOf(LockLostException.class).hasMessageContaining("closed");
		assertThat(handle.extendAsync(Duration.ofSeconds(1))).isCompletedExceptionally();
	}

	@Test
	void asynchronousWorkFindsItsHandle() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				() -> CompletableFuture.completedFuture(LockContext.current().key()));
		assertThat(result.join()).isEqualTo("order:42");
		LockHandle handle = this.template.acquireAsync(REQUEST).join();
		assertThat(this.template.tryAcquireAsync(REQUEST).join()).hasValueSatisfying(LockHandle::close);
		handle.close();
	}

	@Test
	void lockViewNeverWaits() throws Exception {
		Lock lock = this.template.asLock(REQUEST);
		assertThat(lock.tryLock()).isTrue();
		assertThat(OtherThread.call(() -> {
			boolean locked = lock.tryLock();
			lock.unlock();
			return locked;
		})).isTrue();
		assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
		lock.unlock();
		assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
		Optional<LockHandle> handle = this.template.tryAcquire(REQUEST);
		handle.orElseThrow().close();
	}

}
