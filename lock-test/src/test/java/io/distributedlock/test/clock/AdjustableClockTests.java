package io.distributedlock.test.clock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static io.distributedlock.test.patience.Patience.await;

/**
 * A clock that is put forward does what the time would have done.
 */
class AdjustableClockTests {

	private final AdjustableClock clock = new AdjustableClock();

	private final LocalLockProvider provider = new LocalLockProvider(this.clock::nanoTime);

	private final AtomicInteger renewals = new AtomicInteger();

	private final DefaultLockTemplate template = template();

	private final DefaultLockTemplate other = template();

	@AfterEach
	void close() {
		this.other.close();
		this.template.close();
	}

	@Test
	void clockStopsWhereAConditionEnds() {
		LockHandle handle = this.template
			.acquire(LockRequest.of("a").withLeaseTime(Duration.ofMinutes(10)).withWaitTime(Duration.ZERO));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost((loss) -> lost.incrementAndGet());
		long before = this.clock.nanoTime();
		this.clock.advanceWhile(Duration.ofHours(1), () -> lost.get() == 0);
		assertThat(lost).hasValue(1);
		assertThat(Duration.ofNanos(this.clock.nanoTime() - before)).isBetween(Duration.ofMinutes(9),
				Duration.ofMinutes(11));
		handle.close();
	}

	@Test
	void leaseWithALeaseTimeEnds() {
		LockHandle handle = this.template
			.acquire(LockRequest.of("a").withLeaseTime(Duration.ofMinutes(10)).withWaitTime(Duration.ZERO));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost((loss) -> lost.incrementAndGet());
		this.clock.advance(Duration.ofMinutes(9));
		assertThat(handle.isValid()).isTrue();
		assertThat(lost).hasValue(0);
		this.clock.advance(Duration.ofMinutes(1));
		// the callback has been called when the clock returns
		assertThat(lost).hasValue(1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld);
		assertThat(this.other.tryAcquire("a")).isPresent();
	}

	@Test
	void callbacksAreWaitedForWhoeverElseWaitsForSome() {
		AtomicInteger lost = new AtomicInteger();
		this.template.acquire("a").onLost((loss) -> {
			await().pollDelay(Duration.ofMillis(100)).until(() -> true);
			lost.incrementAndGet();
		});
		this.clock.settle(() -> {
			this.clock.settle(() -> {
			});
			this.template.close();
		});
		assertThat(lost).hasValue(1);
	}

	@Test
	void autoRenewedLeaseIsRenewedWhileTheClockJumps() {
		try (LockHandle handle = this.template.acquire("a")) {
			this.clock.advance(Duration.ofHours(1));
			assertThat(handle.isValid()).isTrue();
			assertThat(this.renewals).hasValueGreaterThan(100);
			assertThat(this.other.tryAcquire("a")).isEmpty();
		}
	}

	@Test
	void waitEnds() {
		try (LockHandle handle = this.template.acquire("a")) {
			CompletableFuture<LockHandle> waiting = this.other
				.acquireAsync(LockRequest.of("a").withWaitTime(Duration.ofMinutes(1)));
			// the clock runs on while the machine pauses
			this.clock.advance(Duration.ofSeconds(40));
			assertThat(waiting).isNotDone();
			this.clock.advance(Duration.ofSeconds(21));
			assertThat(waiting).isCompletedExceptionally();
			assertThat(waiting.handle((ignored, failure) -> failure).join())
				.isInstanceOf(LockNotAcquiredException.class);
			handle.ensureHeld();
		}
	}

	@Test
	void callbackThatBlocksIsNotWaitedForWithoutEnd() {
		CountDownLatch never = new CountDownLatch(1);
		LockHandle handle = this.template.acquire(LockRequest.of("a").withLeaseTime(Duration.ofSeconds(10)));
		handle.onLost((loss) -> {
			try {
				never.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(handle.isValid()).isFalse();
		never.countDown();
	}

	@Test
	void clockIsNotPutBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.clock.advance(Duration.ofMillis(-1)));
	}

	private DefaultLockTemplate template() {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.runtime(this.clock::runtime)
			.listener(LockListener.of(LockEvent.Renewed.class, (event) -> this.renewals.incrementAndGet()))
			.build();
	}

}
