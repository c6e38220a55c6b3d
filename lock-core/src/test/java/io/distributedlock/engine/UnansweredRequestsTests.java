package io.distributedlock.engine;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a holder asked for, and was not answered: an extension, a release, the rest of a
 * minimum time.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class UnansweredRequestsTests {

	/**
	 * Longer than a busy machine may pause.
	 */
	private static final Duration LEASE = Duration.ofSeconds(6);

	private final TrickyProvider provider = new TrickyProvider();

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(this.provider)
		.waitTime(Duration.ofSeconds(20))
		.renewalLeaseTime(LEASE)
		.commandTimeout(Duration.ofMillis(300))
		.build();

	@AfterEach
	void close() {
		this.provider.release.behave();
		this.template.close();
	}

	@Test
	void renewalGoesOnAfterAnExtensionThatWasNotAnswered() {
		try (LockHandle handle = this.template.acquire("k")) {
			this.provider.renew.always(Trick.losingTheAnswer());
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> handle.extend(LEASE));
			this.provider.renew.behave();
			int sent = this.provider.renew.calls();
			// the last is sent later than the first lease would have ended
			Patience.await().until(() -> this.provider.renew.calls() >= sent + 4);
			handle.ensureHeld();
		}
		Leftovers.assertNone(this.template);
	}

	/**
	 * The shorter request may be carried out late, and would then end the lease.
	 */
	@Test
	void longerExtensionAfterARequestThatWasNotAnsweredCountsForTheShorterTime() {
		try (LockHandle handle = this.template.acquire("k")) {
			this.provider.renew.always(Trick.losingTheAnswer());
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> handle.extend(LEASE));
			this.provider.renew.behave();
			int sent = this.provider.renew.calls();
			Patience.await().until(() -> this.provider.renew.calls() >= sent + 2);
			extend(handle, LEASE.multipliedBy(10));
			assertThat(handle.remaining()).isLessThan(LEASE);
			handle.ensureHeld();
		}
		Leftovers.assertNone(this.template);
	}

	@Test
	void longerExtensionThatWasNotAnsweredCostsNothing() {
		LockRequest request = LockRequest.of("k").withLeaseTime(Duration.ofSeconds(30));
		try (LockHandle handle = this.template.acquire(request)) {
			this.provider.renew.always(Trick.losingTheAnswer());
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> handle.extend(Duration.ofMinutes(1)));
			this.provider.renew.behave();
			handle.ensureHeld();
			assertThat(handle.remaining()).isLessThan(Duration.ofSeconds(30));
			extend(handle, Duration.ofMinutes(1));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(50));
		}
	}

	@Test
	void thousandsOfExtensionsOneAfterTheOtherAllEndAndTheRenewalGoesOn() {
		LockHandle handle = this.template.acquire("k");
		this.provider.renew.always(Trick.never());
		List<CompletableFuture<Void>> extensions = IntStream.range(0, 5000)
			.mapToObj((i) -> handle.extendAsync(LEASE))
			.toList();
		extensions.forEach((extension) -> assertThat(extension).failsWithin(Patience.LIMIT));
		this.provider.renew.behave();
		int sent = this.provider.renew.calls();
		Patience.await().until(() -> this.provider.renew.calls() >= sent + 2);
		handle.ensureHeld();
		handle.close();
		Leftovers.assertNone(this.template);
	}

	@Test
	void locksThatWereTakenTogetherAreReleasedWithinOneCommandTimeout() {
		Duration commandTimeout = Duration.ofSeconds(1);
		try (DefaultLockTemplate slow = DefaultLockTemplate.builder()
			.provider(this.provider)
			.commandTimeout(commandTimeout)
			.build()) {
			LockHandle many = slow.acquire(LockRequest.ofAll(IntStream.range(0, 30).mapToObj((i) -> "k" + i).toList()));
			this.provider.release.always(Trick.never());
			long start = System.nanoTime();
			many.close();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).as("for 30 releases")
				.isLessThan(commandTimeout.multipliedBy(12));
			Leftovers.assertNone(slow);
		}
	}

	@Test
	void renewalUnderWayDoesNotMakeAMinimumHoldLonger() throws Exception {
		Duration minimum = Duration.ofMinutes(1);
		Duration lease = Duration.ofMinutes(2);
		try (DefaultLockTemplate patient = DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(lease)
			.commandTimeout(Duration.ofSeconds(20))
			.build()) {
			// the first renewal is due at once, and is on its way when the handle is
			// closed
			CompletableFuture<Void> arrived = new CompletableFuture<>();
			LockHandle handle = patient.acquire(LockRequest.of("k").withHoldAtLeast(minimum));
			List<Duration> granted = new ArrayList<>();
			this.provider.lastLease().renewal
				.set((properly) -> arrived.thenCompose((ignored) -> properly.get()).thenApply((term) -> {
					granted.add(term.granted());
					return term;
				}));
			CompletableFuture<Void> renewal = handle.extendAsync(lease);
			this.provider.lastLease().renewal.set((properly) -> properly.get().thenApply((term) -> {
				granted.add(term.granted());
				return term;
			}));
			CompletableFuture<Void> closed = handle.closeAsync();
			arrived.complete(null);
			assertThat(closed).succeedsWithin(Patience.LIMIT);
			renewal.handle((done, failure) -> true).get(Patience.SECONDS, TimeUnit.SECONDS);
			assertThat(granted).hasSize(2);
			assertThat(granted.get(1)).as("the last that the backend was asked for").isLessThanOrEqualTo(minimum);
			Leftovers.assertNone(patient);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void callbacksOfClosedInnerHandlesAreForgotten(boolean ofLoss) {
		List<WeakReference<Object>> callbacks = new ArrayList<>();
		AtomicInteger called = new AtomicInteger();
		// the collector may need longer than a lease
		try (LockHandle outer = this.template.acquire(LockRequest.of("k").withLeaseTime(Duration.ofMinutes(10)))) {
			for (int i = 0; i < 100; i++) {
				LockHandle inner = this.template.acquire("k");
				Counting callback = new Counting(called);
				callbacks.add(new WeakReference<>(callback));
				if (ofLoss) {
					inner.onLost(callback);
				}
				else {
					inner.onExpiring(Duration.ofMillis(1), callback);
				}
				inner.close();
			}
			Patience.await().untilAsserted(() -> {
				System.gc();
				assertThat(callbacks).as("callbacks in memory").allMatch((reference) -> reference.get() == null);
			});
			outer.ensureHeld();
			this.provider.lastLease().lose();
		}
		assertThat(called).hasValue(0);
	}

	/**
	 * Extend a lock on a provider that answers. On a busy machine even that can take
	 * longer than the short command time-out.
	 */
	private static void extend(LockHandle handle, Duration leaseTime) {
		Patience.await().untilAsserted(() -> assertThatCode(() -> handle.extend(leaseTime)).doesNotThrowAnyException());
	}

	/**
	 * A callback with an identity.
	 */
	private static final class Counting implements Runnable, Consumer<LockLostException> {

		private final AtomicInteger count;

		private Counting(AtomicInteger count) {
			this.count = count;
		}

		@Override
		public void run() {
			this.count.incrementAndGet();
		}

		@Override
		public void accept(LockLostException loss) {
			this.count.incrementAndGet();
		}

	}

}
