package io.distributedlock.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.event.LockActivity;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Durations of centuries mean for ever, and overflow nowhere.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class OverflowTests {

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	private DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void everyTimeOfATemplateMayBeForever() {
		this.template = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.commandTimeout(FOREVER)
			.waitTime(FOREVER)
			.pollInterval(FOREVER)
			.renewalLeaseTime(FOREVER)
			.build();
		LockHandle handle = this.template.acquire("k");
		handle.ensureHeld();
		assertThat(OtherThread.call(() -> this.template.tryAcquire("k"))).isEmpty();
		handle.close();
		this.template.acquire(LockRequest.of("k").withType(LockType.FAIR)).close();
		assertThat(this.template.acquireAsync(LockRequest.of("k"))).succeedsWithin(Patience.LIMIT)
			.satisfies(LockHandle::close);
		Leftovers.assertNone(this.template);
	}

	@Test
	void leaseTimeOfTheTemplateMayBeForever() {
		this.template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).leaseTime(FOREVER).build();
		this.template.acquire("k").close();
		Leftovers.assertNone(this.template);
	}

	@Test
	void waitOfTheViewMayBeForever() throws Exception {
		Lock lock = this.template.asLock(LockRequest.of("k"));
		assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
		lock.unlock();
		assertThat(lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isTrue();
		lock.unlock();
		Leftovers.assertNone(this.template);
	}

	@Test
	void leaseTimeMayBeForeverAndIsCut() {
		LockRequest request = LockRequest.of("k").withLeaseTime(FOREVER);
		try (LockHandle handle = this.template.acquire(request)) {
			assertThat(handle.remaining()).isBetween(Duration.ofDays(300), Duration.ofDays(365));
		}
		this.template.acquire(request.withAutoRenew(true)).close();
		Leftovers.assertNone(this.template);
	}

	@Test
	void minimumHoldOfForeverIsRefused() {
		LockRequest request = LockRequest.of("k").withHoldAtLeast(FOREVER);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.acquire(request.withLeaseTime(Duration.ofMinutes(1))));
		try (LockHandle handle = this.template.acquire(request)) {
			assertThat(handle.remaining()).isGreaterThan(Duration.ofDays(300));
		}
	}

	@Test
	void extensionByForeverIsRefusedAndHarmsNothing() {
		try (LockHandle handle = this.template.acquire("k")) {
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(FOREVER));
			assertThatIllegalArgumentException().isThrownBy(() -> handle.ensureAtLeast(FOREVER));
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ofSeconds(Long.MIN_VALUE)));
			handle.ensureAtLeast(Duration.ofSeconds(Long.MIN_VALUE));
			handle.ensureHeld();
		}
		Leftovers.assertNone(this.template);
	}

	@Test
	void warningMayBeWantedForeverBeforeTheEnd() {
		CompletableFuture<Boolean> warned = new CompletableFuture<>();
		try (LockHandle handle = this.template.acquire("k")) {
			handle.onExpiring(FOREVER, () -> warned.complete(true));
			assertThat(warned).succeedsWithin(Patience.LIMIT);
			handle.ensureHeld();
		}
		Leftovers.assertNone(this.template);
	}

	@Test
	void oldestWaitIsShownFirstThoughTheClockOverflows() {
		ScheduledByHand runtime = new ScheduledByHand();
		ScriptedProvider contended = new ScriptedProvider(runtime::nanoTime);
		contended.attempts.addAll(Collections.nCopies(2, ScriptedProvider.contended()));
		DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(contended)
			.runtime((executor) -> runtime)
			.build();
		runtime.moveTo(Long.MAX_VALUE);
		byHand.acquireAsync(LockRequest.of("old"));
		runtime.moveTo(Long.MIN_VALUE);
		byHand.acquireAsync(LockRequest.of("new"));
		assertThat(byHand.activity().waiting()).extracting(LockActivity.Waiting::key).containsExactly("old", "new");
	}

	@Test
	void severalLocksMayBeWaitedForForever() {
		LockRequest several = LockRequest.ofAll(List.of("a", "b")).withWaitTime(FOREVER);
		this.template.acquire(several).close();
		assertThat(this.template.acquireAsync(several)).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		Leftovers.assertNone(this.template);
	}

}
