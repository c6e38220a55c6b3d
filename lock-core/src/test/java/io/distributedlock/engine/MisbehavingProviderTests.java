package io.distributedlock.engine;

import java.time.Duration;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.clock.AdjustableClock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Whatever a provider throws, returns, answers twice, late or never, it harms its own
 * lock at most, and leaves nothing behind in this JVM.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
class MisbehavingProviderTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	/**
	 * What is left of a term is longer than a busy machine may pause: a lock must be kept
	 * though a renewal has failed. It is renewed at once and each second.
	 */
	private static final double NEARLY_OVER = 0.8;

	/**
	 * The lease ends soon if it is not renewed.
	 */
	private static final double ENDS_SOON = 0.93;

	private final TrickyProvider provider = nearlyOver(new TrickyProvider());

	/**
	 * A call that is left without an answer is found before its time-out ends it.
	 */
	private final DefaultLockTemplate template = template(Patience.LIMIT.multipliedBy(10));

	/**
	 * For what is never answered, and for releases that are tried again.
	 */
	private final DefaultLockTemplate hasty = template(Duration.ofMillis(400));

	private static TrickyProvider nearlyOver(TrickyProvider provider) {
		provider.over = NEARLY_OVER;
		return provider;
	}

	private DefaultLockTemplate template(Duration commandTimeout) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Patience.LIMIT)
			.renewalLeaseTime(LEASE)
			.commandTimeout(commandTimeout)
			.pollInterval(Duration.ofMillis(50))
			.build();
	}

	@AfterEach
	void close() {
		this.provider.release.behave();
		this.template.close();
		this.hasty.close();
	}

	@Test
	void errorInAnAttemptIsAFailureOfThatCallOnly() {
		this.provider.acquire.next(Trick.throwingError());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"))
			.withCauseInstanceOf(NoClassDefFoundError.class);
		assertKeyCanBeLocked();
	}

	@Test
	void failureThatCannotTellItsMessageIsAFailureOfThatCallOnly() {
		this.provider.acquire.next(Trick.throwing(UnprintableException::new));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"))
			.withMessageContaining("UnprintableException");
		this.provider.release.always(Trick.throwing(UnprintableException::new));
		assertThat(this.hasty.execute("other", () -> "done")).isEqualTo("done");
		this.provider.release.behave();
		assertKeyCanBeLocked();
	}

	@Test
	void providerWithoutAHashCodeCostsNoLockOfAnotherOne() {
		try (DefaultLockTemplate both = DefaultLockTemplate.builder()
			.provider(this.provider)
			.provider(new Hashless(new LocalLockProvider()))
			.defaultProvider("tricky")
			.renewalLeaseTime(LEASE)
			.build()) {
			LockHandle other = both.acquire(LockRequest.of("other").withProvider("hashless"));
			LockHandle good = both.acquire("k");
			Patience.await().until(() -> this.provider.renew.calls() > 1);
			assertThat(good.isValid()).isTrue();
			good.close();
			other.close();
		}
	}

	@Test
	void errorInANameDoesNotCostTheLeaseThatEndsAnOutage() {
		this.provider.ping.always(Trick.refusing());
		this.provider.acquire.next(Trick.refusing());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"));
		this.provider.acquire.next((properly) -> {
			this.provider.naming.always(Trick.throwingError());
			return properly.get();
		});
		LockHandle handle = this.template.acquire("k");
		this.provider.naming.behave();
		handle.close();
		this.template.acquire("k").close();
		assertKeyCanBeLocked();
	}

	/**
	 * Its name is known since the template was built.
	 */
	@Test
	void providerThatNoLongerTellsItsNameGrantsAndFailsAsBefore() {
		this.provider.naming.always(Trick.throwingError());
		LockHandle handle = this.template.acquire("k");
		assertThat(handle.provider()).isEqualTo("tricky");
		assertThat(this.hasty.tryAcquire("k")).isEmpty();
		assertThat(this.template.activity().held()).singleElement().satisfies((held) -> {
			assertThat(held.provider()).isEqualTo("tricky");
		});
		handle.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
			.withMessageContaining("tricky");
		this.provider.acquire.next(Trick.refusing());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"))
			.withMessageContaining("provider tricky failed: credentials refused");
		// ends the outage, which goes on while not even the question for a name has an
		// answer
		this.template.acquire("k").close();
		assertKeyCanBeLocked();
	}

	@Test
	void attemptThatIsAnsweredWithNoStageIsAFailureOfThatCallOnly() {
		this.provider.acquire.next(Trick.returningNull());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"));
		assertKeyCanBeLocked();
	}

	@Test
	void errorInTheAttemptOfAWaiterDoesNotReachTheOneWhoLetItIn() throws Exception {
		LockHandle held = this.template.acquire("k");
		this.provider.acquire.next(Trick.throwingError());
		CompletableFuture<LockHandle> waiter = acquireElsewhere(LockRequest.of("k"));
		assertThatCode(held::close).doesNotThrowAnyException();
		assertThat(waiter).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		assertKeyCanBeLocked();
	}

	/**
	 * A timer lets it ask again.
	 */
	@Test
	void errorBeforeALaterAttemptIsAFailureOfThatCallOnly() {
		this.provider.listen.always(Trick.returningNull());
		this.provider.acquire.next(Trick.answering(null));
		this.provider.queues.next(Supplier::get);
		this.provider.queues.next(Trick.throwingError());
		CompletableFuture<LockHandle> call = this.template.acquireAsync(LockRequest.of("k"));
		assertThat(call).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(NoClassDefFoundError.class);
		assertKeyCanBeLocked();
	}

	@Test
	void attemptThatTakesAnotherLockDoesNotWaitForItself() {
		DefaultLockTemplate other = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
		LockHandle held = this.template.acquire("k");
		this.provider.acquire.next((properly) -> {
			other.execute("inside", () -> "done");
			return properly.get();
		});
		CompletableFuture<LockHandle> waiter = acquireElsewhere(LockRequest.of("k"));
		// the attempt of the waiter is made where the holder releases
		CompletableFuture.runAsync(held::close, (task) -> new Thread(task).start());
		assertThat(waiter).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		assertKeyCanBeLocked();
		Leftovers.assertNone(other);
		other.close();
	}

	@Test
	void attemptThatBringsAnAnswerToAnotherCallAndThenBlocksDoesNotDelayThatCall() {
		CompletableFuture<Boolean> opened = new CompletableFuture<>();
		CountDownLatch blocked = new CountDownLatch(1);
		LockHandle held = this.template.acquire("k");
		this.provider.acquire.next(Trick.late(opened));
		CompletableFuture<LockHandle> other = CompletableFuture.supplyAsync(() -> this.template.acquire("other"),
				(task) -> new Thread(task).start());
		Patience.await().until(() -> this.provider.acquire.calls() == 2);
		this.provider.acquire.next((properly) -> {
			opened.complete(true);
			return Trick.<CompletionStage<Lease>>blocking(blocked).play(properly);
		});
		CompletableFuture<LockHandle> waiter = acquireElsewhere(LockRequest.of("k"));
		// the attempt of the waiter is made where the holder releases
		CompletableFuture.runAsync(held::close, (task) -> new Thread(task).start());
		try {
			assertThat(other).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
		finally {
			blocked.countDown();
		}
		assertThat(waiter).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		assertKeyCanBeLocked();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1000, 5000 })
	void crowdThatIsRefusedAtOnceEndsWithoutOverflow(int crowd) {
		LockHandle held = this.template.acquire("k");
		LockRequest patient = LockRequest.of("k").withWaitTime(Duration.ofMinutes(5));
		List<CompletableFuture<LockHandle>> waiters = OtherThread
			.call(() -> IntStream.range(0, crowd).mapToObj((i) -> this.template.acquireAsync(patient)).toList());
		this.provider.acquire.always(Trick.refusing());
		held.close();
		for (CompletableFuture<LockHandle> waiter : waiters) {
			assertThat(waiter).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class);
		}
		this.provider.acquire.behave();
		CompletableFuture<LockHandle> holder = this.template.acquireAsync(LockRequest.of("other"));
		CompletableFuture<LockHandle> next = this.template.acquireAsync(LockRequest.of("other"));
		holder.thenAccept(LockHandle::close);
		assertThat(next).as("timers go on").succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		assertKeyCanBeLocked();
	}

	@Test
	void errorInARenewalIsAFailureOfThatRenewalOnly() {
		this.provider.renew.next(Trick.throwingError());
		this.provider.renewAll.next(Trick.throwingError());
		try (LockHandle handle = this.template.acquire("k")) {
			Patience.await().until(() -> this.provider.renew.calls() >= 4);
			handle.ensureHeld();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void errorInAnExtensionDoesNotStopTheRenewal() {
		try (LockHandle handle = this.template.acquire("k")) {
			this.provider.renew.always(Trick.throwingError());
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> handle.extend(LEASE));
			this.provider.renew.behave();
			int sent = this.provider.renew.calls();
			Patience.await().until(() -> this.provider.renew.calls() >= sent + 4);
			handle.ensureHeld();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void renewalThatThrowsForOneLeaseDoesNotCostTheOthers() {
		this.provider.over = ENDS_SOON;
		LockHandle poisoned = this.template.acquire("poisoned");
		this.provider.lastLease().renewal.set(Trick.throwingError());
		this.provider.over = NEARLY_OVER;
		LockHandle sound = this.template.acquire("sound");
		AtomicReference<LockLostException> loss = new AtomicReference<>();
		poisoned.onLost(loss::set);
		Patience.await().until(() -> loss.get() != null);
		int sent = this.provider.renewAll.calls();
		Patience.await().until(() -> this.provider.renewAll.calls() >= sent + 4);
		sound.ensureHeld();
		sound.close();
		poisoned.close();
		Leftovers.assertNone(this.template);
	}

	@Test
	void renewalsThatAreAnsweredWithNoListAreSentOneByOne() {
		this.provider.renewAll.always(Trick.returningNull());
		assertLockIsRenewed();
	}

	@Test
	void renewalsThatAreAnsweredWithAShortListAreSentOneByOne() {
		this.provider.renewAll.always((properly) -> List.of());
		assertLockIsRenewed();
	}

	/**
	 * As that of a provider which makes each request when its answer is asked for.
	 */
	@Test
	void renewalsThatAreAnsweredWithAListThatThrowsAreSentOneByOne() {
		this.provider.renewAll.always((properly) -> new AbstractList<>() {

			@Override
			public CompletionStage<LeaseTerm> get(int index) {
				throw new NoClassDefFoundError("com/example/client/Renewal");
			}

			@Override
			public int size() {
				return 1;
			}

		});
		assertLockIsRenewed();
	}

	@Test
	void renewalsThatAreAnsweredWithAListOfNothingAreTriedAgain() {
		this.provider.renewAll.next((properly) -> Collections.singletonList(null));
		assertLockIsRenewed();
	}

	@Test
	void lockThatIsReleasedDuringABatchThatFailsLeavesNothing() throws InterruptedException {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		this.provider.renewAll.always((properly) -> {
			asked.countDown();
			assertThat(released.await(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
			return null;
		});
		LockHandle handle = this.template.acquire("k");
		assertThat(asked.await(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		handle.close();
		released.countDown();
		assertKeyCanBeLocked();
	}

	private void assertLockIsRenewed() {
		try (LockHandle handle = this.template.acquire("k")) {
			Patience.await().until(() -> this.provider.renew.calls() >= 5);
			handle.ensureHeld();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void renewalThatBlocksDoesNotDelayTheSignalOfAnotherLoss() {
		CountDownLatch blocked = new CountDownLatch(1);
		this.provider.renewAll.always(Trick.blocking(blocked));
		LockHandle kept = this.template.acquire("kept");
		Patience.await().until(() -> this.provider.renewAll.calls() >= 1);
		this.provider.over = 0;
		LockHandle short1 = this.template.acquire(LockRequest.of("short").withLeaseTime(Duration.ofMillis(200)));
		AtomicReference<LockLostException> loss = new AtomicReference<>();
		short1.onLost(loss::set);
		try {
			Patience.await().until(() -> loss.get() != null);
			assertThat(blocked.getCount()).isEqualTo(1);
		}
		finally {
			blocked.countDown();
		}
		kept.close();
		short1.close();
		Leftovers.assertNone(this.template);
	}

	@Test
	void renewalThatBlocksCostsItsOwnProviderOnly() {
		CountDownLatch blocked = new CountDownLatch(1);
		TrickyProvider slow = new TrickyProvider("slow");
		slow.renewAll.always(Trick.blocking(blocked));
		slow.over = ENDS_SOON;
		try (DefaultLockTemplate both = DefaultLockTemplate.builder()
			.provider(this.provider)
			.provider(slow)
			.renewalLeaseTime(LEASE)
			.commandTimeout(Duration.ofMillis(400))
			.build()) {
			LockHandle onSlow = both.acquire(LockRequest.of("k").withProvider("slow"));
			LockHandle sound = both.acquire("k");
			AtomicReference<LockLostException> loss = new AtomicReference<>();
			onSlow.onLost(loss::set);
			Patience.await().until(() -> loss.get() != null);
			int sent = this.provider.renewAll.calls();
			Patience.await().until(() -> this.provider.renewAll.calls() >= sent + 4);
			sound.ensureHeld();
			blocked.countDown();
		}
	}

	@Test
	void extensionThatBlocksDoesNotCostAnotherLock() {
		CountDownLatch blocked = new CountDownLatch(1);
		// not renewed, as that would block for all
		LockHandle blocking = this.hasty.acquire(LockRequest.of("blocking").withLeaseTime(LEASE.dividedBy(3)));
		this.provider.lastLease().renewal.set(Trick.blocking(blocked));
		CompletableFuture<Void> extension = CompletableFuture.runAsync(() -> blocking.extend(LEASE),
				(task) -> new Thread(task).start());
		LockHandle other = this.hasty.acquire("other");
		TrickyProvider.TrickyLease lease = this.provider.lastLease();
		AtomicInteger renewals = new AtomicInteger();
		lease.renewal.set((properly) -> {
			renewals.incrementAndGet();
			return properly.get();
		});
		try {
			Patience.await().until(() -> renewals.get() >= 5);
			other.ensureHeld();
			Patience.await().until(() -> !blocking.isValid());
		}
		finally {
			blocked.countDown();
		}
		assertThat(extension).failsWithin(Patience.LIMIT);
		blocking.close();
		other.close();
		assertKeyCanBeLocked(this.hasty);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void errorInAReleaseIsNotThrownAndLetsTheNextIn(boolean always) {
		LockHandle handle = this.hasty.acquire(thatEndsByItself());
		if (always) {
			this.provider.release.always(Trick.throwingError());
		}
		else {
			this.provider.release.next(Trick.throwingError());
		}
		assertThatCode(handle::close).doesNotThrowAnyException();
		Patience.await("no key in use").until(() -> this.hasty.keys.size() == 0);
		this.provider.release.behave();
		assertKeyCanBeLocked(this.hasty);
	}

	/**
	 * Return a request for a lock that the next call gets though nobody releases it.
	 */
	private LockRequest thatEndsByItself() {
		this.provider.over = 0;
		return LockRequest.of("k").withLeaseTime(Duration.ofSeconds(4));
	}

	@Test
	void releaseThatIsAnsweredWithNoStageIsTriedAgain() {
		// longer than this waits for its release
		LockHandle handle = this.hasty.acquire(LockRequest.of("k").withLeaseTime(LEASE.multipliedBy(10)));
		this.provider.release.next(Trick.returningNull());
		assertThatCode(handle::close).doesNotThrowAnyException();
		Patience.await().until(() -> this.provider.isFree("k"));
		assertKeyCanBeLocked(this.hasty);
	}

	@Test
	void releaseThatIsNeverAnsweredIsNotWaitedForAnyMore() {
		this.provider.release.next(Trick.never());
		this.hasty.acquire(thatEndsByItself()).closeAsync();
		Leftovers.assertNone(this.hasty);
		assertKeyCanBeLocked(this.hasty);
	}

	@Test
	void errorWhenItIsListenedForReleasesOnlyCostsTheSignal() throws Exception {
		this.provider.listen.always(Trick.throwingError());
		assertWaiterBehindAnotherNodeGetsTheLock();
	}

	@Test
	void errorAtTheEndOfASubscriptionDoesNotReachTheCaller() throws Exception {
		this.provider.stopListening.always(Trick.throwingError());
		assertWaiterBehindAnotherNodeGetsTheLock();
	}

	@Test
	void subscriptionThatIsNothingOnlyCostsTheSignal() throws Exception {
		this.provider.listen.always(Trick.returningNull());
		assertWaiterBehindAnotherNodeGetsTheLock();
	}

	/**
	 * Have a waiter ask the backend twice, as another node has the lock at first.
	 */
	private void assertWaiterBehindAnotherNodeGetsTheLock() throws Exception {
		try (DefaultLockTemplate otherNode = DefaultLockTemplate.builder().provider(this.provider).build()) {
			LockHandle held = otherNode.acquire("k");
			CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(() -> this.template.acquire("k"));
			Patience.await().until(() -> this.provider.acquire.calls() >= 2 && this.provider.listen.calls() >= 1);
			held.close();
			LockHandle handle = waiter.get(Patience.SECONDS, TimeUnit.SECONDS);
			handle.ensureHeld();
			handle.close();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void errorWhenALeaseIsToTellOfItsLossOnlyCostsTheMessage() {
		this.provider.onLost.always(Trick.throwingError());
		try (LockHandle handle = this.template.acquire("k")) {
			handle.ensureHeld();
		}
		assertKeyCanBeLocked();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leaseThatDoesNotTellItsOwnerIsShownWithoutOne(boolean throwing) {
		LockHandle handle = this.template.acquire("k");
		LockHandle other = this.template.acquire("other");
		this.provider.ownerId.next(throwing ? Trick.throwingError() : Trick.returningNull());
		assertThat(this.template.activity().held()).hasSize(2)
			.satisfiesOnlyOnce((held) -> assertThat(held.ownerId()).isEmpty());
		other.close();
		handle.close();
		assertKeyCanBeLocked();
	}

	@Test
	void leaseWithoutATermIsReleased() {
		this.provider.term.next(Trick.throwingError());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"));
		Patience.await().until(() -> this.provider.isFree("k"));
		this.provider.term.next(Trick.returningNull());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"));
		Patience.await().until(() -> this.provider.isFree("k"));
		assertKeyCanBeLocked();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void leaseThatDoesNotTellItsTokenIsReleased(boolean throwing) {
		this.provider.token.always(throwing ? Trick.throwingError() : Trick.returningNull());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"));
		Patience.await().until(() -> this.provider.isFree("k"));
		assertThat(this.template.acquireAsync(LockRequest.of("k"))).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		Patience.await().until(() -> this.provider.isFree("k"));
		this.provider.token.behave();
		assertKeyCanBeLocked();
	}

	@Test
	void renewalsWhoseTermBeganLongAgoAreSentWithPauses() {
		AdjustableClock clock = new AdjustableClock();
		TrickyProvider late = new TrickyProvider("late", new LocalLockProvider(clock::nanoTime));
		try (DefaultLockTemplate jumping = DefaultLockTemplate.builder()
			.provider(late)
			.runtime(clock::runtime)
			.renewalLeaseTime(LEASE)
			.commandTimeout(Patience.LIMIT)
			.build()) {
			LockHandle handle = jumping.acquire("k");
			late.renew.always(Trick.answering(late.lastLease().term()));
			clock.advance(LEASE);
			assertThat(handle.isValid()).isFalse();
			assertThat(late.renew.calls()).as("one each second, when a third of the lease is over").isBetween(10, 60);
			handle.close();
			Leftovers.assertNone(jumping);
		}
	}

	@Test
	void renewalThatTheClientHasCancelledIsToldAsAFailure() {
		AtomicInteger failures = new AtomicInteger();
		try (DefaultLockTemplate listening = DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(LEASE)
			.commandTimeout(Patience.LIMIT)
			.listener(LockListener.of(LockEvent.RenewalFailed.class, (event) -> failures.incrementAndGet()))
			.build()) {
			this.provider.renew.next(Trick.failing(CancellationException::new));
			LockHandle handle = listening.acquire("k");
			Patience.await().until(() -> this.provider.renew.calls() >= 2);
			Patience.await().until(() -> failures.get() == 1);
			handle.ensureHeld();
			handle.close();
		}
	}

	@Test
	void renewalWithATermThatCannotBeIsAFailureOfThatRenewalOnly() {
		try (LockHandle handle = this.template.acquire("k")) {
			this.provider.renew.next(Trick.answering(new LeaseTerm(System.nanoTime(), null)));
			Patience.await().until(() -> this.provider.renew.calls() >= 5);
			handle.ensureHeld();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void renewalThatGrantsCenturiesDoesNotOverflow() {
		this.provider.over = ENDS_SOON;
		this.provider.renew.always((properly) -> CompletableFuture
			.completedFuture(new LeaseTerm(System.nanoTime(), Duration.ofSeconds(Long.MAX_VALUE))));
		try (LockHandle handle = this.template.acquire("k")) {
			Patience.await().until(() -> this.provider.renew.calls() >= 1);
			// longer than what was left of the first lease
			Patience.await().during(LEASE.dividedBy(10)).until(handle::isValid);
			assertThat(handle.remaining()).isPositive();
			handle.ensureHeld();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void extensionWithATermThatCannotBeIsAFailureOfThatExtensionOnly() {
		try (LockHandle handle = this.template.acquire("k")) {
			this.provider.renew.always(Trick.answering(new LeaseTerm(System.nanoTime(), null)));
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> handle.extend(LEASE));
			this.provider.renew.behave();
			int sent = this.provider.renew.calls();
			Patience.await().until(() -> this.provider.renew.calls() >= sent + 4);
			handle.ensureHeld();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void errorWhenAPlaceIsTakenIsAFailureOfThatCallOnly() {
		LockRequest fair = LockRequest.of("k").withType(LockType.FAIR);
		this.provider.enqueue.next(Trick.throwingError());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(fair));
		this.provider.enqueue.next(Trick.returningNull());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(fair));
		this.template.acquire(fair).close();
		assertKeyCanBeLocked();
	}

	@Test
	void placeThatFailsAtEverythingEndsWithTheCommandTimeout() {
		LockRequest fair = LockRequest.of("k").withType(LockType.FAIR).withWaitTime(Duration.ofMillis(100));
		this.provider.enqueue.next((properly) -> new HopelessPlace());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.hasty.acquire(fair));
		CompletableFuture<LockHandle> future;
		this.provider.enqueue.next((properly) -> new HopelessPlace());
		future = this.hasty.acquireAsync(fair);
		assertThat(future).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		assertKeyCanBeLocked(this.hasty);
	}

	@Test
	void answerThatComesTwiceCountsOnce() {
		this.provider.acquire.always(Trick.twice());
		this.provider.renew.always(Trick.twice());
		this.provider.release.always(Trick.twice());
		try (LockHandle handle = this.template.acquire("k")) {
			Patience.await().until(() -> this.provider.renew.calls() >= 3);
			handle.ensureHeld();
			assertThat(this.provider.isFree("k")).isFalse();
		}
		assertThat(this.provider.release.calls()).isEqualTo(1);
		assertKeyCanBeLocked();
	}

	@Test
	void leaseThatCameTooLateIsReleasedAlsoIfThatFailsAtFirst() {
		CompletableFuture<Void> opened = new CompletableFuture<>();
		this.provider.acquire.next(Trick.late(opened));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.hasty.tryAcquire("k"));
		this.provider.release.next(Trick.failing(() -> new BackendException("unreachable", true, null)));
		this.provider.release.next(Trick.throwingError());
		opened.complete(null);
		assertThat(this.provider.leases).hasSize(1);
		Patience.await().until(() -> this.provider.isFree("k"));
		assertThat(this.provider.release.calls()).isEqualTo(3);
		assertKeyCanBeLocked(this.hasty);
	}

	@Test
	void callWhoseLockIsLostAtOnceAsksAgainBeforeThoseBehindIt() {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.provider.acquire.next(Trick.late(answer));
		this.provider.onLost.next((properly) -> {
			Boolean registered = properly.get();
			this.provider.lastLease().lose();
			return registered;
		});
		CompletableFuture<LockHandle> first = this.template.acquireAsync(LockRequest.of("k"));
		CompletableFuture<LockHandle> second = this.template.acquireAsync(LockRequest.of("k"));
		answer.complete(true);
		assertThat(first).succeedsWithin(Patience.LIMIT);
		assertThat(second).isNotDone();
		assertThat(this.provider.acquire.calls()).isEqualTo(2);
		first.join().close();
		assertThat(second).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		Leftovers.assertNone(this.template);
	}

	@Test
	void answerThatWasLostIsAskedForAgainWithinTheWaitTime() {
		this.provider.acquire.next(Trick.never());
		this.provider.acquire.next(Trick.never());
		this.hasty.acquire("k").close();
		// more than three if the machine has paused for longer than the command time-out
		assertThat(this.provider.acquire.calls()).isBetween(3, 5);
		assertKeyCanBeLocked(this.hasty);
	}

	@Test
	void placeWhoseAnswerWasLostIsTakenAgainWithinTheWaitTime() {
		LockRequest fair = LockRequest.of("k").withType(LockType.FAIR);
		this.provider.enqueue.next((properly) -> new ScriptedPlace(new CompletableFuture<>(), () -> {
		}, () -> false, () -> {
		}));
		this.hasty.acquire(fair).close();
		// more than two if the machine has paused for longer than the command time-out
		assertThat(this.provider.enqueue.calls()).isBetween(2, 4);
		assertKeyCanBeLocked(this.hasty);
	}

	@Test
	void placeThatWasConfirmedIsKeptThroughAShortOutage() {
		LockRequest fair = LockRequest.of("k").withType(LockType.FAIR);
		AtomicInteger looks = new AtomicInteger();
		AtomicBoolean confirmed = new AtomicBoolean();
		this.provider.enqueue.next((properly) -> {
			LockQueue.Place place = properly.get();
			// its later questions fail
			return new ScriptedPlace(place.granted(), looks::incrementAndGet,
					() -> confirmed.compareAndSet(false, true), place::leave);
		});
		LockHandle holder = this.template.acquireAsync(fair.withWaitTime(Duration.ZERO)).join();
		CompletableFuture<LockHandle> waiter = this.hasty.acquireAsync(fair);
		// one each poll interval, of which the command time-out has eight
		Patience.await().until(() -> looks.get() > 12);
		holder.close();
		assertThat(waiter).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		assertThat(this.provider.enqueue.calls()).isEqualTo(1);
		assertKeyCanBeLocked(this.hasty);
	}

	@Test
	void placeThatFailsWhileItWaitsIsLeft() {
		LockRequest fair = LockRequest.of("k").withType(LockType.FAIR);
		CompletableFuture<Lease> granted = new CompletableFuture<>();
		this.provider.enqueue.next((properly) -> {
			LockQueue.Place kept = properly.get();
			return new ScriptedPlace(granted, kept::lookAgain, kept::isBehindOthers, kept::leave);
		});
		LockHandle holder = this.hasty.acquireAsync(fair.withWaitTime(Duration.ZERO)).join();
		CompletableFuture<LockHandle> waiter = this.template.acquireAsync(fair);
		Patience.await().until(() -> this.provider.enqueue.calls() == 1);
		granted.completeExceptionally(new BackendException("the place was lost", false, null));
		assertThat(waiter).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		holder.close();
		Leftovers.assertNone(this.hasty);
		assertThat(this.provider.isFree("k")).isTrue();
		assertKeyCanBeLocked();
	}

	@Test
	void placeThatBlocksIsAskedByOneThreadAtATime() {
		BlockingPlace place = new BlockingPlace();
		this.provider.enqueue.next((properly) -> place);
		DefaultLockTemplate impatient = DefaultLockTemplate.builder()
			.provider(this.provider)
			.pollInterval(Duration.ofMillis(5))
			.commandTimeout(Duration.ofMillis(300))
			.build();
		try (impatient) {
			CompletableFuture<LockHandle> waiter = impatient
				.acquireAsync(LockRequest.of("k").withType(LockType.FAIR).withWaitTime(Duration.ofMillis(500)));
			assertThat(waiter).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(place.mostInside.get()).isEqualTo(1);
		}
		finally {
			place.goOn.countDown();
		}
		assertKeyCanBeLocked();
	}

	@Test
	void errorOfAWaiterDoesNotKeepTheHolderFromBeingTold() {
		LockHandle held = this.template.acquire("k");
		AtomicInteger told = new AtomicInteger();
		held.onLost((loss) -> told.incrementAndGet());
		this.provider.acquire.next(Trick.throwingError());
		CompletableFuture<LockHandle> waiter = acquireElsewhere(LockRequest.of("k"));
		assertThatCode(() -> this.provider.lastLease().lose()).doesNotThrowAnyException();
		Patience.await().until(() -> told.get() == 1);
		assertThat(waiter).failsWithin(Patience.LIMIT);
		held.close();
		assertKeyCanBeLocked();
	}

	private CompletableFuture<LockHandle> acquireElsewhere(LockRequest request) {
		return OtherThread.call(() -> this.template.acquireAsync(request));
	}

	private void assertKeyCanBeLocked() {
		assertKeyCanBeLocked(this.template);
	}

	private static void assertKeyCanBeLocked(DefaultLockTemplate template) {
		Leftovers.assertNone(template);
		assertThat(template.acquireAsync(LockRequest.of("k"))).succeedsWithin(Patience.LIMIT)
			.satisfies((handle) -> handle.ensureHeld())
			.satisfies(LockHandle::close);
		Leftovers.assertNone(template);
	}

	/**
	 * Whose every method throws.
	 */
	private static final class HopelessPlace implements LockQueue.Place {

		@Override
		public CompletionStage<Lease> granted() {
			return new CompletableFuture<>();
		}

		@Override
		public void lookAgain() {
			throw new NoClassDefFoundError("com/example/client/Look");
		}

		@Override
		public boolean isBehindOthers() {
			throw new NoClassDefFoundError("com/example/client/Position");
		}

		@Override
		public void leave() {
			throw new NoClassDefFoundError("com/example/client/Leave");
		}

	}

	/**
	 * That others are in front of, and that blocks whoever asks about it.
	 */
	private static final class BlockingPlace implements LockQueue.Place {

		private final CountDownLatch goOn = new CountDownLatch(1);

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger mostInside = new AtomicInteger();

		@Override
		public CompletionStage<Lease> granted() {
			return new CompletableFuture<>();
		}

		@Override
		public void lookAgain() {
			this.mostInside.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
			try {
				this.goOn.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.inside.decrementAndGet();
		}

		@Override
		public boolean isBehindOthers() {
			return true;
		}

		@Override
		public void leave() {
			// it was never there
		}

	}

	/**
	 * A provider that cannot be a key of a map.
	 */
	private record Hashless(LocalLockProvider backend) implements LockProvider {

		@Override
		public String name() {
			return "hashless";
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			return this.backend.tryAcquire(request);
		}

		@Override
		public int hashCode() {
			throw new UnsupportedOperationException();
		}

	}

}
