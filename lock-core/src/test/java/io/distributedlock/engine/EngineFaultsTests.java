package io.distributedlock.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LockedAction;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.clock.AdjustableClock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What the engine makes of a backend that fails, is slow or forgets.
 */
@Execution(ExecutionMode.CONCURRENT)
class EngineFaultsTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

	private final AdjustableClock clock = new AdjustableClock();

	private final ScriptedProvider provider = new ScriptedProvider(this.clock::nanoTime);

	private final DefaultLockTemplate template = template(Patience.LIMIT);

	/**
	 * For what is never answered.
	 */
	private final DefaultLockTemplate hasty = template(COMMAND_TIMEOUT);

	/**
	 * For renewals and waits whose time is put forward.
	 */
	private final DefaultLockTemplate timed = DefaultLockTemplate.builder()
		.provider(this.provider)
		.runtime(this.clock::runtime)
		.renewalLeaseTime(Duration.ofMinutes(1))
		.commandTimeout(Duration.ofSeconds(5))
		.pollInterval(Duration.ofSeconds(5))
		.build();

	@AfterEach
	void close() {
		this.template.close();
		this.hasty.close();
		this.timed.close();
	}

	private DefaultLockTemplate template(Duration commandTimeout) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Patience.LIMIT)
			.commandTimeout(commandTimeout)
			.pollInterval(Duration.ofMillis(50))
			.build();
	}

	/**
	 * Nobody holds the key, and nobody can be asked for it.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 0, 100, 1000 })
	void outageIsNoContentionForThoseBehindTheOneWhoAsks(long waitMillis) {
		this.provider.attempts.add(ScriptedProvider.never());
		for (int i = 0; i < 1000; i++) {
			this.provider.attempts.add(ScriptedProvider.unreachable());
		}
		CompletableFuture<LockHandle> first = this.hasty
			.acquireAsync(LockRequest.of("k").withWaitTime(Duration.ofSeconds(30)));
		Patience.await().until(() -> this.provider.attempted.get() > 0);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.hasty.tryAcquire(LockRequest.of("k").withWaitTime(Duration.ofMillis(waitMillis))));
		first.cancel(false);
		assertNothingIsLeft();
	}

	@Test
	void whatOthersHoldIsContentionForThoseBehindTheOneWhoAsks() {
		for (int i = 0; i < 1000; i++) {
			this.provider.attempts.add(ScriptedProvider.contended());
		}
		CompletableFuture<LockHandle> first = this.template
			.acquireAsync(LockRequest.of("k").withWaitTime(Duration.ofSeconds(30)));
		Patience.await().until(() -> this.provider.attempted.get() > 0);
		assertThat(this.template.tryAcquire("k")).isEmpty();
		assertThat(this.template.tryAcquire(LockRequest.of("k").withWaitTime(Duration.ofMillis(50)))).isEmpty();
		first.cancel(false);
		assertNothingIsLeft();
	}

	/**
	 * The attempt in front is under way when the wait is over: its answer decides.
	 */
	@Test
	void answerToTheOneInFrontIsWaitedFor() {
		CompletableFuture<Lease> answer = new CompletableFuture<>();
		this.provider.attempts.add(answer);
		CompletableFuture<LockHandle> first = this.template.acquireAsync(LockRequest.of("k"));
		Patience.await().until(() -> this.provider.attempted.get() > 0);
		CompletableFuture<Optional<LockHandle>> second = this.template.tryAcquireAsync(LockRequest.of("k"));
		assertThat(second).isNotDone();
		answer.complete(this.provider.lease(Duration.ofMinutes(1)));
		assertThat(second).succeedsWithin(Patience.LIMIT).isEqualTo(Optional.empty());
		first.join().close();
		assertNothingIsLeft();
	}

	/**
	 * It stands behind one whose question has no answer yet, and is to look again.
	 */
	@Test
	void waitForWhoseNextTimerThereIsNoMemoryEnds() {
		ScheduledByHand runtime = new ScheduledByHand();
		this.provider.attempts.add(ScriptedProvider.never());
		try (DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(this.provider)
			.runtime((executor) -> runtime)
			.commandTimeout(Duration.ofSeconds(20))
			.build()) {
			CompletableFuture<LockHandle> first = byHand.acquireAsync(LockRequest.of("k"));
			CompletableFuture<LockHandle> second = byHand
				.acquireAsync(LockRequest.of("k").withWaitTime(Duration.ofSeconds(1)));
			runtime.outOfMemory(true);
			runtime.moveTo(Duration.ofSeconds(1).toNanos());
			runtime.runTimers();
			runtime.outOfMemory(false);
			assertThat(second).isCompletedExceptionally();
			assertThat(first).isNotDone();
			first.cancel(false);
		}
	}

	/**
	 * Its wait is over, and its turn comes while it is to look again.
	 */
	@Test
	void waitWhoseTurnComesLateEndsWithTheCommandTimeout() {
		ScheduledByHand runtime = new ScheduledByHand();
		this.provider.attempts.add(ScriptedProvider.never());
		this.provider.attempts.add(ScriptedProvider.never());
		try (DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(this.provider)
			.runtime((executor) -> runtime)
			.commandTimeout(Duration.ofSeconds(20))
			.build()) {
			CompletableFuture<LockHandle> first = byHand.acquireAsync(LockRequest.of("k"));
			CompletableFuture<LockHandle> second = byHand
				.acquireAsync(LockRequest.of("k").withWaitTime(Duration.ofSeconds(1)));
			runtime.beforeNextTimer(() -> first.cancel(false));
			runtime.moveTo(Duration.ofSeconds(11).toNanos());
			runtime.runTimers();
			assertThat(this.provider.attempts).as("answers that nobody has asked for").isEmpty();
			assertThat(second).isNotDone();
			runtime.moveTo(Duration.ofSeconds(22).toNanos());
			runtime.runTimers();
			assertThat(second).isCompletedExceptionally();
		}
	}

	@Test
	void leaseThatIsLostBeforeItsCallHasItIsNoLoss() {
		ScheduledByHand runtime = new ScheduledByHand();
		List<LockEvent> events = new ArrayList<>();
		this.provider.attempts.add(CompletableFuture.completedFuture(new LostAtOnce()));
		try (DefaultLockTemplate byHand = byHand(runtime, events::add)) {
			CompletableFuture<LockHandle> future = byHand.acquireAsync(LockRequest.of("k"));
			assertThat(future).isNotDone();
			runtime.moveTo(Duration.ofSeconds(1).toNanos());
			runtime.runTimers();
			future.join().close();
			Leftovers.assertNone(byHand);
		}
		assertThat(events).extracting(LockEvent::getClass)
			.isEqualTo(List.of(LockEvent.Waiting.class, LockEvent.Acquired.class, LockEvent.Released.class));
	}

	@Test
	void lockThatComesWhileItsCallIsCancelledIsNeitherAcquiredNorReleased() {
		ScheduledByHand runtime = new ScheduledByHand();
		List<LockEvent> events = new ArrayList<>();
		CompletableFuture<Lease> answer = new CompletableFuture<>();
		this.provider.attempts.add(answer);
		try (DefaultLockTemplate byHand = byHand(runtime, events::add)) {
			CompletableFuture<LockHandle> future = byHand.acquireAsync(LockRequest.of("k"));
			// that of the keeper, which watches the lock before its call has it
			runtime.beforeNextTimer(() -> future.cancel(false));
			answer.complete(this.provider.lease(new LeaseTerm(0, Duration.ofSeconds(1))));
			assertThat(future).isCancelled();
			Leftovers.assertNone(byHand);
		}
		assertThat(events).extracting(LockEvent::getClass).isEqualTo(List.of(LockEvent.NotAcquired.class));
	}

	/**
	 * The provider calls from inside of the release of each lease that was lost at once.
	 */
	@Test
	void leasesThatAreLostAtOnceOverflowNoStack() {
		for (int i = 0; i < 10_000; i++) {
			this.provider.attempts.add(CompletableFuture.completedFuture((i > 0) ? new LostAtOnce() : null));
		}
		try (DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(new Signalling(this.provider))
			.runtime((executor) -> new ScheduledByHand())
			.build()) {
			assertThat(byHand.acquireAsync(LockRequest.of("k"))).isCompleted();
			assertThat(this.provider.attempts).isEmpty();
		}
	}

	@Test
	void callThatCannotWaitLeavesNoLock() {
		CompletableFuture<Lease> answer = new CompletableFuture<>();
		this.provider.attempts.add(answer);
		try (DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(this.provider)
			.runtime((executor) -> new ScheduledByHand())
			.build()) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> byHand.acquire("k"))
				.withMessageContaining("nothing waits here");
			answer.complete(this.provider.lease(Duration.ofMinutes(1)));
			assertThat(this.provider.released).hasValue(1);
			Leftovers.assertNone(byHand);
		}
	}

	/**
	 * It fails at the first question or a later one, also when the call has its permit.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void providerThatCannotSayWhetherItQueuesFailsTheCallOrTellsOfIt(int failing) {
		AtomicInteger told = new AtomicInteger();
		try (DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(new Forgetful(failing))
			.runtime((executor) -> new ScheduledByHand())
			.listener(LockListener.of(LockEvent.Acquired.class, (event) -> told.incrementAndGet()))
			.build()) {
			CompletableFuture<LockHandle> future = byHand.acquireAsync(LockRequest.of("k").withPermits(2));
			future.handle((handle, failure) -> failure == null).thenAccept((got) -> {
				assertThat(told).hasValue(got ? 1 : 0);
				if (got) {
					future.join().close();
				}
			}).join();
			Leftovers.assertNone(byHand);
		}
	}

	@Test
	void lockIsReleasedThoughAFailureOfItsProviderCannotBePrinted() {
		Forgetful failing = new Forgetful(0);
		try (DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(failing)
			.runtime((executor) -> new ScheduledByHand())
			.build()) {
			LockHandle first = byHand.acquireAsync(LockRequest.of("k")).join();
			CompletableFuture<LockHandle> second = byHand.acquireAsync(LockRequest.of("k"));
			first.closeAsync().join();
			second.join().closeAsync().join();
			assertThat(failing.grants.released).hasValue(2);
			Leftovers.assertNone(byHand);
		}
	}

	@Test
	void outageDuringAnAttemptIsTriedAgainWithinTheWaitTime() {
		this.provider.attempts.add(ScriptedProvider.unreachable());
		this.provider.attempts.add(ScriptedProvider.unreachable());
		this.template.acquire("k").close();
		assertThat(this.provider.attempted).hasValue(3);
	}

	@Test
	void outageIsNeverReportedAsContention() {
		this.provider.attempts.add(ScriptedProvider.unreachable());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.tryAcquire("k"))
			.withMessageContaining("unreachable")
			.withMessageContaining("scripted")
			.withMessageContaining("'k'");
		assertNothingIsLeft();
	}

	@Test
	void contentionAfterAnOutageIsContention() {
		this.provider.attempts.add(ScriptedProvider.unreachable());
		for (int i = 0; i < 100; i++) {
			this.provider.attempts.add(ScriptedProvider.contended());
		}
		CompletableFuture<LockHandle> waiting = this.timed
			.acquireAsync(LockRequest.of("k").withWaitTime(Duration.ofMinutes(1)));
		this.clock.advance(Duration.ofMinutes(2));
		assertThat(waiting).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		Leftovers.assertNone(this.timed);
	}

	@Test
	void permanentFailureIsNotTriedAgain() {
		this.provider.attempts.add(ScriptedProvider.refused());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"));
		assertThat(this.provider.attempted).hasValue(1);
		assertNothingIsLeft();
	}

	@Test
	void providerThatThrowsIsAFailureToo() {
		this.provider.attempts.add(CompletableFuture.failedFuture(new IllegalStateException("a bug")));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"))
			.withMessageContaining("a bug");
		assertNothingIsLeft();
	}

	@Test
	void answerThatNeverComesEndsWithTheCommandTimeout() {
		this.provider.attempts.add(ScriptedProvider.never());
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.hasty.tryAcquire("k"))
			.withMessageContaining("300ms");
		assertThat(System.nanoTime() - start).as("nanoseconds, on a slow machine")
			.isBetween(COMMAND_TIMEOUT.toNanos(), Patience.LIMIT.toNanos() / 2);
		assertNothingIsLeft();
	}

	@Test
	void leaseThatComesTooLateIsReleased() {
		CompletableFuture<Lease> late = new CompletableFuture<>();
		this.provider.attempts.add(late);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.hasty.tryAcquire("k"));
		late.complete(this.provider.lease(Duration.ofSeconds(30)));
		assertThat(this.provider.released).hasValue(1);
		assertNothingIsLeft();
	}

	@Test
	void leaseThatCameAfterItsEndIsNotHeld() {
		this.provider.attempts.add(CompletableFuture.completedFuture(this.provider.lease(Duration.ofNanos(1))));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.tryAcquire("k"))
			.withMessageContaining("after the lease had ended");
		assertThat(this.provider.released).hasValue(1);
		assertNothingIsLeft();
	}

	@Test
	void renewalIsTriedAgainUntilTheDeadlineAndThenTheHolderIsTold() {
		for (int i = 0; i < 1000; i++) {
			this.provider.renewals.add(ScriptedProvider::unreachable);
		}
		try (LockHandle handle = this.timed.acquire("k")) {
			AtomicInteger told = new AtomicInteger();
			handle.onLost((loss) -> told.incrementAndGet());
			this.clock.advance(Duration.ofSeconds(40));
			assertThat(handle.isValid()).isTrue();
			assertThat(told).hasValue(0);
			this.clock.advance(handle.remaining().plusSeconds(1));
			assertThat(this.timed.keeper.size()).as("leases that are kept").isZero();
			Patience.await().until(() -> told.get() == 1);
			assertThat(this.provider.renewed.get()).as("tries, one each second").isBetween(10, 60);
			assertThat(handle.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
				.withMessageContaining("its lease of 60s ended before it was released");
		}
	}

	@Test
	void renewalThatRecoversKeepsTheLock() {
		this.provider.renewals.add(ScriptedProvider::unreachable);
		this.provider.renewals.add(ScriptedProvider::never);
		try (LockHandle handle = this.timed.acquire("k")) {
			this.clock.advance(Duration.ofSeconds(90));
			assertThat(this.provider.renewed).hasValueGreaterThanOrEqualTo(4);
			handle.ensureHeld();
		}
	}

	@Test
	void renewalThatIsRefusedIsALossAtOnce() {
		this.provider.renewals.add(() -> CompletableFuture.completedFuture(null));
		try (LockHandle handle = this.timed.acquire("k")) {
			AtomicReference<LockLostException> loss = new AtomicReference<>();
			handle.onLost(loss::set);
			this.clock.advance(Duration.ofSeconds(25));
			Patience.await().until(() -> loss.get() != null);
			assertThat(loss.get()).hasMessageContaining("no longer has it").hasMessageContaining("'k'");
			AtomicInteger toldLate = new AtomicInteger();
			handle.onLost((again) -> toldLate.incrementAndGet());
			Patience.await().until(() -> toldLate.get() == 1);
			int renewals = this.provider.renewed.get();
			this.clock.advance(Duration.ofMinutes(5));
			assertThat(this.provider.renewed).hasValue(renewals);
		}
	}

	@Test
	void shorterLeaseThanAskedForCounts() {
		this.provider.renewals
			.add(() -> CompletableFuture.completedFuture(new LeaseTerm(this.clock.nanoTime(), Duration.ofSeconds(10))));
		for (int i = 0; i < 100; i++) {
			this.provider.renewals.add(ScriptedProvider::never);
		}
		try (LockHandle handle = this.timed.acquire("k")) {
			AtomicReference<LockLostException> loss = new AtomicReference<>();
			handle.onLost(loss::set);
			// the first lease would end later
			this.clock.advance(Duration.ofSeconds(40));
			Patience.await().until(() -> loss.get() != null);
		}
	}

	@Test
	void backendsOwnMessageOfALossIsPassedOn() {
		try (LockHandle handle = this.template.acquire("k")) {
			this.provider.lossSignal.lost("the session ended");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
				.havingCause()
				.withMessageContaining("the session ended");
		}
	}

	@Test
	void lostLockIsNoReentryAndIsTakenAnew() {
		try (LockHandle lost = this.template.acquire("k")) {
			this.provider.lossSignal.lost("the session ended");
			assertThat(lost.isValid()).isFalse();
			try (LockHandle anew = this.template.acquire("k")) {
				anew.ensureHeld();
			}
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::ensureHeld);
		}
		assertThat(this.provider.attempted).hasValue(2);
		assertNothingIsLeft();
	}

	@Test
	void lostLockLetsTheNextOfThisJvmIn() throws Exception {
		LockHandle handle = this.template.acquire("k");
		CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> this.template.acquire("k").close());
		Patience.await().until(() -> this.template.keys.waiting() == 1);
		this.provider.lossSignal.lost("the session ended");
		waiting.get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(handle.isValid()).isFalse();
		handle.close();
		assertNothingIsLeft();
	}

	@Test
	void failedReleaseIsTriedAgain() {
		this.provider.releases.add(ScriptedProvider.unreachable());
		this.template.acquire("k").close();
		assertThat(this.provider.released).hasValue(2);
		assertNothingIsLeft();
	}

	/**
	 * Otherwise the key would stay taken until the lease ends, also when the backend is
	 * back.
	 */
	@Test
	void releaseThatFailedIsTriedUntilTheOutageIsOver() {
		failReleases(8);
		CompletableFuture<Void> released = this.timed.acquire("k").closeAsync();
		Patience.await().until(() -> {
			this.clock.advance(Duration.ofSeconds(1));
			return this.provider.released.get() == 9;
		});
		Patience.await("the call that released it").until(released::isDone);
		this.clock.advance(Duration.ofMinutes(5));
		assertThat(this.provider.released).as("none after one that succeeded").hasValue(9);
		Leftovers.assertNone(this.timed);
	}

	/**
	 * Each try may be lost on its way.
	 */
	@Test
	void releaseWithoutAnAnswerIsTriedAgain() {
		this.provider.releases.add(ScriptedProvider.never());
		CompletableFuture<Void> released = this.timed.acquire("k").closeAsync();
		Patience.await().until(() -> {
			this.clock.advance(Duration.ofSeconds(1));
			return this.provider.released.get() == 2;
		});
		Patience.await("the end for the caller").until(released::isDone);
		Leftovers.assertNone(this.timed);
	}

	@Test
	void shutdownWaitsForReleasesThatAreTriedAgain() {
		failReleases(6);
		this.timed.acquire("k").closeAsync();
		Patience.await().until(() -> {
			this.clock.advance(Duration.ofSeconds(1));
			return this.provider.released.get() == 5;
		});
		CompletableFuture<Void> drained = this.timed.drain();
		Patience.await().until(() -> {
			this.clock.advance(Duration.ofSeconds(1));
			return drained.isDone();
		});
		assertThat(this.provider.released).as("the last one succeeds").hasValue(7);
	}

	/**
	 * The end of the template ends all pauses: without a limit each release would be
	 * tried so often at once.
	 */
	@Test
	void releaseThatFailedIsTriedOnceMoreAtTheEnd() {
		failReleases(100);
		for (int i = 0; i < 10; i++) {
			this.timed.acquireAsync(LockRequest.of("k" + i)).join().closeAsync();
		}
		Patience.await().until(() -> {
			this.clock.advance(Duration.ofSeconds(1));
			return this.provider.released.get() == 50;
		});
		this.timed.close();
		assertThat(this.provider.released).hasValue(60);
		assertThat(this.timed.releaser.isIdle()).isTrue();
	}

	@Test
	void resultSurvivesAReleaseThatFails() {
		failReleases(10);
		assertThat(this.hasty.<String, RuntimeException>execute("k", () -> "result")).isEqualTo("result");
		assertNothingIsLeft();
	}

	@Test
	void exceptionOfTheWorkWinsOverAFailedRelease() {
		failReleases(10);
		assertFailedReleaseIsAddedToTheExceptionOfTheWork();
	}

	@Test
	void exceptionOfTheWorkHasTheReleaseWithoutAnAnswerThoughTheTimersAreLate() {
		CountDownLatch late = new CountDownLatch(1);
		this.hasty.timers.at(System.nanoTime(), () -> Trick.awaitUninterruptibly(late));
		this.provider.releases.add(ScriptedProvider.never());
		try {
			assertFailedReleaseIsAddedToTheExceptionOfTheWork();
		}
		finally {
			late.countDown();
		}
	}

	private void assertFailedReleaseIsAddedToTheExceptionOfTheWork() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.hasty.execute("k", () -> {
			throw new IOException("disk");
		})).satisfies((ex) -> {
			assertThat(ex.getSuppressed()).hasSize(1);
			assertThat(ex.getSuppressed()[0]).isInstanceOf(LockUnavailableException.class)
				.hasMessageContaining("could not be released");
		});
	}

	@Test
	void releaseThatIsNeverAnsweredDoesNotHangTheCaller() {
		this.provider.releases.add(ScriptedProvider.never());
		this.hasty.acquire("k").close();
		assertNothingIsLeft();
		this.hasty.acquire("k").close();
	}

	@Test
	void interruptDuringTheReleaseReleasesFirst() {
		LockHandle handle = this.template.acquire("k");
		CompletableFuture<Boolean> slow = new CompletableFuture<>();
		this.provider.releases.add(slow);
		Thread.currentThread().interrupt();
		CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(() -> slow.complete(true));
		handle.close();
		assertThat(Thread.interrupted()).as("the flag").isTrue();
		assertThat(slow).isCompleted();
		assertNothingIsLeft();
	}

	@Test
	void waitersThatGiveUpLeaveNothing() {
		LockHandle handle = CompletableFuture.supplyAsync(() -> this.template.acquire("k")).join();
		for (int i = 0; i < 50; i++) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.template.acquire(LockRequest.of("k").withWaitTime(Duration.ofMillis(2))))
				.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.CONTENDED));
		}
		assertThat(this.template.keys.waiting()).isZero();
		handle.close();
		assertNothingIsLeft();
	}

	@Test
	void memoryIsBoundedByTheKeysInUse() {
		LockHandle held = this.template.acquire("held");
		for (int i = 0; i < 20_000; i++) {
			this.template.execute("key" + i, () -> {
			});
		}
		assertThat(this.template.keys.size()).isEqualTo(1);
		assertThat(this.template.keeper.size()).isEqualTo(1);
		held.close();
		assertNothingIsLeft();
	}

	@Test
	void closeWaitsForReleasesThatOthersHaveBegun() throws Exception {
		CompletableFuture<Boolean> slow = new CompletableFuture<>();
		this.provider.releases.add(slow);
		LockHandle handle = this.template.acquire("k");
		CompletableFuture<Void> released = handle.closeAsync();
		CompletableFuture<Void> closed = CompletableFuture.runAsync(this.template::close);
		Patience.await().during(Duration.ofMillis(100)).until(() -> !closed.isDone());
		slow.complete(true);
		closed.get(Patience.SECONDS, TimeUnit.SECONDS);
		released.get(Patience.SECONDS, TimeUnit.SECONDS);
	}

	@Test
	void callbackThatThrowsDoesNotStopTheKeeper() {
		this.provider.renewals.add(() -> CompletableFuture.completedFuture(null));
		try (LockHandle first = this.timed.acquire("first")) {
			first.onLost((loss) -> {
				throw new IllegalStateException("a bug in the application");
			});
			this.clock.advance(Duration.ofSeconds(25));
			assertThat(first.isValid()).isFalse();
			try (LockHandle second = this.timed.acquire("second")) {
				int renewals = this.provider.renewed.get();
				this.clock.advance(Duration.ofSeconds(90));
				assertThat(this.provider.renewed).hasValueGreaterThan(renewals + 1);
				second.ensureHeld();
			}
		}
	}

	@Test
	void bodyRunsAtMostOnceAndItsFailureIsNoFailureOfTheLock() {
		AtomicInteger runs = new AtomicInteger();
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.template.execute("k", (LockedAction<RuntimeException>) () -> {
				runs.incrementAndGet();
				throw new IllegalStateException("business");
			}));
		assertThat(runs).hasValue(1);
		assertThat(this.provider.released).hasValue(1);
	}

	@Test
	void asyncWorkThatThrowsOrFailsGivesTheLockBack() {
		CompletableFuture<String> thrown = this.template.executeAsync(LockRequest.of("k"), () -> {
			throw new IllegalStateException("before the stage");
		});
		assertThatExceptionOfType(CompletionException.class).isThrownBy(thrown::join)
			.withCauseInstanceOf(IllegalStateException.class);
		CompletionStage<String> failed = CompletableFuture.failedFuture(new IOException("in the stage"));
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.template.executeAsync(LockRequest.of("k"), () -> failed).join())
			.withCauseInstanceOf(IOException.class);
		assertThat(this.provider.released).hasValue(2);
		assertNothingIsLeft();
	}

	@Test
	void timesThatCannotWorkAreRefused() {
		LockRequest request = LockRequest.of("k");
		assertThatIllegalArgumentException().isThrownBy(() -> request.withLeaseTime(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> request.withLeaseTime(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> request.withWaitTime(Duration.ofMillis(-1)));
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> LockRequest.of("  "))
			.withMessageContaining("blank");
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> LockRequest.of(null))
			.withMessageContaining("null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquire(request.withProvider("tibet")))
			.withMessageContaining("scripted");
	}

	@Test
	void waitWithoutEndDoesNotOverflow() {
		this.provider.attempts.add(ScriptedProvider.contended());
		this.template.acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(Long.MAX_VALUE))).close();
		assertThat(this.provider.attempted).hasValue(2);
	}

	private void failReleases(int times) {
		for (int i = 0; i < times; i++) {
			this.provider.releases.add(ScriptedProvider.unreachable());
		}
	}

	private void assertNothingIsLeft() {
		Leftovers.assertNone(this.template);
		Leftovers.assertNone(this.hasty);
	}

	private DefaultLockTemplate byHand(ScheduledByHand runtime, LockListener listener) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.runtime((executor) -> runtime)
			.listener(listener)
			.build();
	}

	/**
	 * A lease whose backend reports its loss as soon as it is asked to.
	 */
	private static final class LostAtOnce implements Lease {

		private Runnable onRelease = () -> {
		};

		@Override
		public LeaseTerm term() {
			return new LeaseTerm(0, Duration.ofMinutes(1));
		}

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletionStage<Boolean> release() {
			this.onRelease.run();
			return CompletableFuture.completedFuture(false);
		}

		@Override
		public void onLost(LossSignal signal) {
			signal.lost("its session has ended");
		}

	}

	/**
	 * A provider that signals a release as often as it is asked for one.
	 */
	private static final class Signalling implements LockProvider, ReleaseSignal {

		private final ScriptedProvider grants;

		private Runnable listener = () -> {
		};

		private Signalling(ScriptedProvider grants) {
			this.grants = grants;
		}

		@Override
		public String name() {
			return "signalling";
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			CompletionStage<Lease> answer = this.grants.tryAcquire(request);
			return answer.thenApply((lease) -> {
				if (lease instanceof LostAtOnce lost) {
					lost.onRelease = this.listener;
				}
				return lease;
			});
		}

		@Override
		public Subscription listen(String key, Runnable onRelease) {
			this.listener = onRelease;
			onRelease.run();
			return () -> {
			};
		}

	}

	/**
	 * A provider that fails once when it is asked whether it keeps a queue, and always in
	 * a way that cannot be printed when it is asked for the time of a hand-over.
	 */
	private static final class Forgetful implements LockProvider, LockQueue {

		private final ScriptedProvider grants = new ScriptedProvider(() -> 0);

		private final AtomicInteger questions = new AtomicInteger();

		private final int failing;

		private Forgetful(int failing) {
			this.failing = failing;
		}

		@Override
		public String name() {
			return "forgetful";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return Set.of(LockCapability.SEMAPHORE);
		}

		@Override
		public Duration handOverTime() {
			throw new UnprintableException();
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			return this.grants.tryAcquire(request);
		}

		@Override
		public boolean queues(LockType type) {
			if (this.questions.incrementAndGet() == this.failing) {
				throw new IllegalStateException("forgotten");
			}
			return false;
		}

		@Override
		public Place enqueue(LeaseRequest request) {
			throw new IllegalStateException("no queue");
		}

	}

}
