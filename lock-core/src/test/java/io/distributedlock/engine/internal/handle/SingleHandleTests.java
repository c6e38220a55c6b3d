package io.distributedlock.engine.internal.handle;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.Inside;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.engine.ScriptedProvider;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.clock.AdjustableClock;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What a holder can ask of its lock, also while the backend is down.
 */
class SingleHandleTests {

	private final AdjustableClock clock = new AdjustableClock();

	private final ScriptedProvider provider = new ScriptedProvider(this.clock::nanoTime);

	private final List<LockLostException> losses = new CopyOnWriteArrayList<>();

	private final DefaultLockTemplate template = builder().build();

	/**
	 * For leases whose end is waited for.
	 */
	private final DefaultLockTemplate timed = builder().runtime(this.clock::runtime)
		.pollInterval(Duration.ofSeconds(10))
		.build();

	private LockTemplateBuilder builder() {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.provider(new LocalLockProvider(this.clock::nanoTime))
			.waitTime(Patience.LIMIT)
			.commandTimeout(Patience.LIMIT)
			.pollInterval(Duration.ofMillis(50))
			.listener(LockListener.of(LockEvent.Lost.class, (event) -> this.losses.add(event.loss())));
	}

	@AfterEach
	void close() {
		this.template.close();
		this.timed.close();
	}

	@Test
	void explicitLeaseIsExtendedBeyondItsEnd() {
		try (LockHandle handle = this.timed.acquire(lease(Duration.ofMinutes(1)))) {
			handle.extend(Duration.ofHours(1));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(50));
			this.clock.advance(Duration.ofMinutes(2));
			assertThat(handle.isValid()).isTrue();
			handle.extend(Duration.ofMillis(50));
			assertThat(handle.remaining()).as("no extension shortens it").isGreaterThan(Duration.ofMinutes(50));
		}
	}

	@Test
	void extensionThatIsRefusedIsALoss() {
		this.provider.renewals.add(() -> CompletableFuture.completedFuture(null));
		LockHandle handle = this.template.acquire(lease(Duration.ofSeconds(30)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.extend(Duration.ofMinutes(1)));
		assertThat(handle.isValid()).isFalse();
		Patience.await().until(() -> this.losses.size() == 1);
		handle.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.extend(Duration.ofMinutes(1)));
	}

	@Test
	void extensionThatFailsLeavesTheLeaseAsItWas() {
		this.provider.renewals.add(ScriptedProvider::unreachable);
		try (LockHandle handle = this.template.acquire(lease(Duration.ofSeconds(60)))) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> handle.extend(Duration.ofMinutes(10)))
				.withMessageContaining("unreachable");
			assertIsAsLongAsItWas(handle);
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ZERO));
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ofDays(5000)));
		}
	}

	@Test
	void extensionWithoutAnAnswerLeavesTheLeaseAsItWas() {
		this.provider.renewals.add(ScriptedProvider::never);
		try (DefaultLockTemplate hasty = builder().commandTimeout(Duration.ofMillis(300)).build();
				LockHandle handle = hasty.acquire(lease(Duration.ofSeconds(60)))) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> handle.ensureAtLeast(Duration.ofMinutes(10)))
				.withMessageContaining("300ms");
			assertIsAsLongAsItWas(handle);
		}
	}

	private static void assertIsAsLongAsItWas(LockHandle handle) {
		handle.ensureAtLeast(Duration.ofSeconds(20));
		assertThat(handle.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(60));
	}

	@Test
	void enoughTimeIsAskedForOnlyIfItIsNotThere() {
		try (LockHandle handle = this.template.acquire(lease(Duration.ofSeconds(60)))) {
			handle.ensureAtLeast(Duration.ofSeconds(5));
			assertThat(this.provider.renewed).hasValue(0);
			handle.ensureAtLeast(Duration.ofMinutes(10));
			assertThat(this.provider.renewed).hasValue(1);
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(9));
		}
	}

	/**
	 * The owner has yet to confirm the grant, which makes the lease as long as was asked.
	 */
	@Test
	void leaseThatIsGrantedForLessIsNotCutShort() {
		this.provider.attempts.add(CompletableFuture.completedFuture(this.provider.lease(Duration.ofMinutes(1))));
		try (LockHandle handle = this.template.acquire(lease(Duration.ofMinutes(10)))) {
			handle.ensureAtLeast(Duration.ofMinutes(2));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(8));
		}
	}

	@Test
	void leaseThatIsGrantedForLessIsNoReasonToWarn() {
		this.provider.attempts.add(CompletableFuture.completedFuture(this.provider.lease(Duration.ofMinutes(12))));
		AtomicInteger warned = new AtomicInteger();
		try (LockHandle handle = this.timed.acquire(lease(Duration.ofMinutes(30)))) {
			handle.onExpiring(Duration.ofMinutes(15), warned::incrementAndGet);
			this.clock.advance(Duration.ofMinutes(3));
			assertThat(this.provider.renewed).hasValue(0);
			this.clock.advance(Duration.ofMinutes(2));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(20));
			assertThat(warned).hasValue(0);
		}
	}

	@Test
	void leaseThatIsGrantedForLessAndCannotBeRenewedIsAReasonToWarn() {
		this.provider.attempts.add(CompletableFuture.completedFuture(this.provider.lease(Duration.ofMinutes(2))));
		for (int i = 0; i < 1000; i++) {
			this.provider.renewals.add(ScriptedProvider::unreachable);
		}
		AtomicInteger warned = new AtomicInteger();
		try (LockHandle handle = this.timed.acquire(lease(Duration.ofMinutes(30)))) {
			handle.onExpiring(Duration.ofMinutes(5), warned::incrementAndGet);
			this.clock.advance(Duration.ofSeconds(70));
			assertIsWarnedOnceBeforeTheLoss(warned);
		}
	}

	private void assertIsWarnedOnceBeforeTheLoss(AtomicInteger warned) {
		Patience.await().until(() -> warned.get() == 1);
		assertThat(this.losses).isEmpty();
		this.clock.advance(Duration.ofMinutes(3));
		Patience.await().until(() -> !this.losses.isEmpty());
		assertThat(warned).hasValue(1);
	}

	@Test
	void extensionWaitsForTheAnswerToARenewal() throws Exception {
		CompletableFuture<LeaseTerm> slow = new CompletableFuture<>();
		this.provider.renewals.add(() -> slow);
		Duration lease = Duration.ofMinutes(3);
		// each term is one for whose renewal it is time
		this.provider.attempts.add(CompletableFuture.completedFuture(this.provider.lease(aThirdIsOver(lease))));
		try (DefaultLockTemplate patient = builder().renewalLeaseTime(lease).build();
				LockHandle handle = patient.acquire("k")) {
			Patience.await().until(() -> this.provider.renewed.get() >= 1);
			CompletableFuture<Void> extension = handle.extendAsync(Duration.ofHours(1));
			assertThat(extension).isNotDone();
			assertThat(this.provider.renewed).hasValue(1);
			slow.complete(aThirdIsOver(lease));
			extension.get(Patience.SECONDS, TimeUnit.SECONDS);
			Patience.await()
				.during(Duration.ofMillis(1500))
				.until(() -> handle.remaining().compareTo(Duration.ofMinutes(50)) > 0);
			assertThat(this.provider.renewed).as("no renewal cuts it short").hasValue(2);
		}
	}

	@Test
	void extensionThatWaitsWhileTheLockIsLostIsALoss() {
		CompletableFuture<LeaseTerm> slow = new CompletableFuture<>();
		this.provider.renewals.add(() -> slow);
		try (LockHandle handle = this.template.acquire(lease(Duration.ofMinutes(10)))) {
			List<CompletableFuture<Void>> extensions = List.of(handle.extendAsync(Duration.ofHours(1)),
					handle.extendAsync(Duration.ofHours(1)));
			slow.complete(null);
			extensions.forEach((extension) -> assertThat(extension).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class));
			assertThat(this.provider.renewed).hasValue(1);
		}
	}

	@Test
	void lateAnswerThatRefusesAnExtensionIsALoss() {
		CompletableFuture<LeaseTerm> late = new CompletableFuture<>();
		this.provider.renewals.add(() -> late);
		try (DefaultLockTemplate hasty = builder().commandTimeout(Duration.ofMillis(300)).build();
				LockHandle handle = hasty.acquire(lease(Duration.ofMinutes(10)))) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> handle.extend(Duration.ofHours(1)));
			late.complete(null);
			Patience.await().until(() -> this.losses.size() == 1);
			assertThat(handle.isValid()).isFalse();
		}
	}

	private static LeaseTerm aThirdIsOver(Duration lease) {
		return new LeaseTerm(System.nanoTime() - lease.dividedBy(3).toNanos(), lease);
	}

	@Test
	void holderIsWarnedBeforeTheEndWhileTheBackendIsDown() {
		for (int i = 0; i < 1000; i++) {
			this.provider.renewals.add(ScriptedProvider::unreachable);
		}
		AtomicInteger warned = new AtomicInteger();
		try (LockHandle handle = this.timed
			.acquire(LockRequest.of("k").withLeaseTime(Duration.ofMinutes(3)).withAutoRenew(true))) {
			handle.onExpiring(Duration.ofMinutes(2), () -> {
				if (handle.isValid()) {
					warned.incrementAndGet();
				}
			});
			this.clock.advance(Duration.ofSeconds(70));
			assertIsWarnedOnceBeforeTheLoss(warned);
		}
	}

	@Test
	void holderIsWarnedAgainAfterARenewalAndNeverAfterTheRelease() {
		AtomicInteger warned = new AtomicInteger();
		LockHandle handle = this.template.acquire(lease(Duration.ofSeconds(30)));
		handle.onExpiring(Duration.ofMinutes(1), warned::incrementAndGet);
		Patience.await().until(() -> warned.get() == 1);
		handle.extend(Duration.ofSeconds(40));
		Patience.await().until(() -> warned.get() == 2);
		handle.close();
		handle.onExpiring(Duration.ofMinutes(1), warned::incrementAndGet);
		Patience.await().during(Duration.ofMillis(100)).until(() -> warned.get() == 2);
	}

	@Test
	void crowdIsLimited() throws Exception {
		LockRequest request = LockRequest.of("k").withProvider("local").withMaxWaiters(2);
		CompletableFuture<LockHandle> holder = this.template.acquireAsync(request);
		LockHandle held = holder.get(Patience.SECONDS, TimeUnit.SECONDS);
		CompletableFuture<LockHandle> first = this.template.acquireAsync(request);
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(request))
			.withMessageContaining("2")
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.CROWDED));
		assertThat(this.template.tryAcquire(request.withWaitTime(Duration.ofSeconds(5)))).isEmpty();
		second.cancel(true);
		CompletableFuture<LockHandle> third = this.template.acquireAsync(request);
		held.close();
		first.get(Patience.SECONDS, TimeUnit.SECONDS).close();
		third.get(Patience.SECONDS, TimeUnit.SECONDS).close();
		assertThat(Inside.of(this.template).keys().waiting()).isZero();
		this.template.acquire(request.withMaxWaiters(0)).close();
	}

	@Test
	void keyIsKeptForItsMinimumTime() {
		LockRequest request = LockRequest.of("k")
			.withProvider("local")
			.withLeaseTime(Duration.ofMinutes(20))
			.withHoldAtLeast(Duration.ofMinutes(10))
			.withWaitTime(Duration.ZERO);
		this.timed.acquire(request).close();
		assertThat(this.timed.tryAcquire(request)).isEmpty();
		CompletableFuture<LockHandle> waiting = this.timed.acquireAsync(request.withWaitTime(Duration.ofHours(1)));
		this.clock.advance(Duration.ofMinutes(8));
		assertThat(waiting).isNotDone();
		this.clock.advance(Duration.ofMinutes(3));
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

	@Test
	void minimumTimeIsOverWhenTheWorkTookLonger() {
		LockRequest request = LockRequest.of("k").withProvider("local").withHoldAtLeast(Duration.ofMillis(20));
		try (LockHandle handle = this.template.acquire(request)) {
			Patience.await().during(Duration.ofMillis(40)).until(handle::isValid);
		}
		this.template.acquire(request.withWaitTime(Duration.ZERO)).close();
	}

	@Test
	void minimumTimeMayBeShorterThanAnyLease() {
		try (DefaultLockTemplate node = DefaultLockTemplate.builder()
			.provider(new LongLeases(this.clock))
			.runtime(this.clock::runtime)
			.renewalLeaseTime(LongLeases.SHORTEST)
			.commandTimeout(Patience.LIMIT)
			.build()) {
			node.acquire(LockRequest.of("k").withHoldAtLeast(Duration.ofMinutes(5))).close();
			assertThat(node.tryAcquire("k")).isEmpty();
			this.clock.advance(Duration.ofMinutes(6));
			node.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT)).close();
		}
	}

	@Test
	void minimumTimeBeyondTheLeaseIsRefused() {
		LockRequest request = LockRequest.of("k").withProvider("local").withHoldAtLeast(Duration.ofMinutes(1));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.check(request.withLeaseTime(Duration.ofSeconds(30))))
			.withMessageContainingAll("60s", "30s");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.check(request.withProvider("scripted")))
			.withMessageContainingAll("LOCK_DELAY", "local");
		try (LockHandle handle = this.template.acquire(request)) {
			assertThat(handle.remaining()).as("also if the holder dies").isGreaterThan(Duration.ofSeconds(50));
		}
	}

	private static LockRequest lease(Duration leaseTime) {
		return LockRequest.of("k").withLeaseTime(leaseTime);
	}

	private static final class LongLeases implements LockProvider {

		/**
		 * Longer than a test waits.
		 */
		private static final Duration SHORTEST = Patience.LIMIT.multipliedBy(20);

		private final LocalLockProvider backend;

		private LongLeases(AdjustableClock clock) {
			this.backend = new LocalLockProvider(clock::nanoTime);
		}

		@Override
		public String name() {
			return "long";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return Set.of(LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY);
		}

		@Override
		public LeaseLimits leaseLimits() {
			return new LeaseLimits(SHORTEST, LeaseLimits.DEFAULT.longest());
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			return this.backend.tryAcquire(request);
		}

		@Override
		public CompletionStage<?> ping() {
			return this.backend.ping();
		}

	}

}
