package io.distributedlock.engine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.AskingPlace;
import io.distributedlock.test.clock.AdjustableClock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A call that waits without end waits for others as long as they have the lock, and for a
 * backend that fails only for the command time-out and one failure more.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
// nothing is done inside the lock
@SuppressWarnings("LockNotBeforeTry")
class EndlessWaitTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

	private static final Duration WITHOUT_END = Duration.ofSeconds(Long.MAX_VALUE);

	private static final LockRequest ENDLESS = LockRequest.of("k").withWaitTime(WITHOUT_END);

	private final TrickyProvider provider = new TrickyProvider();

	private final DefaultLockTemplate template = template();

	/**
	 * Another node.
	 */
	private final DefaultLockTemplate other = template();

	@AfterEach
	void close() {
		this.provider.acquire.behave();
		this.provider.enqueue.behave();
		this.template.close();
		this.other.close();
	}

	static Stream<Trick<CompletionStage<Lease>>> outages() {
		return Stream.of(Trick.failing(EndlessWaitTests::unreachable), Trick.throwing(EndlessWaitTests::unreachable),
				Trick.never(), late());
	}

	@ParameterizedTest
	@MethodSource("outages")
	void lockFailsAfterTheCommandTimeoutAndOneFailureMore(Trick<CompletionStage<Lease>> outage) {
		this.provider.acquire.always(outage);
		long begun = System.nanoTime();
		assertUnavailable(lock(ENDLESS));
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(COMMAND_TIMEOUT);
		assertThat(this.provider.acquire.calls()).isGreaterThanOrEqualTo(2);
		assertKeyCanBeLocked();
	}

	@Test
	void lockInterruptiblyFailsToo() {
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		Lock lock = this.template.asLock(ENDLESS);
		assertUnavailable(onAThread(() -> {
			try {
				lock.lockInterruptibly();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}));
		assertKeyCanBeLocked();
	}

	@Test
	void callThatHasFailedIsNotToldToWaitOnceMore() {
		AtomicInteger waits = new AtomicInteger();
		AtomicInteger failures = new AtomicInteger();
		LockListener waiting = LockListener.of(LockEvent.Waiting.class, (event) -> waits.incrementAndGet());
		LockListener failing = LockListener.of(LockEvent.Unavailable.class, (event) -> failures.incrementAndGet());
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		try (DefaultLockTemplate heard = builder().listener(waiting).listener(failing).build()) {
			assertUnavailable(heard.acquireAsync(ENDLESS));
			Patience.await().untilAsserted(() -> assertThat(failures).hasValue(1));
		}
		// another listener, which may be told later
		Patience.await().during(Duration.ofMillis(100)).until(() -> waits.get() == 1);
	}

	@Test
	void outageThatIsShorterIsWaitedThrough() {
		this.provider.acquire.next(Trick.failing(EndlessWaitTests::unreachable));
		this.provider.acquire.next(Trick.failing(EndlessWaitTests::unreachable));
		try (DefaultLockTemplate patient = builder().commandTimeout(Patience.LIMIT).build()) {
			assertThat(lock(patient, ENDLESS)).succeedsWithin(Patience.LIMIT);
		}
		assertThat(this.provider.acquire.calls()).isEqualTo(3);
	}

	@Test
	void goodAnswerBetweenFailuresBeginsAnew() {
		AtomicInteger answers = new AtomicInteger();
		this.provider.acquire.always((properly) -> (answers.incrementAndGet() % 3 == 0) ? ScriptedProvider.contended()
				: ScriptedProvider.unreachable());
		AdjustableClock clock = new AdjustableClock();
		try (DefaultLockTemplate slow = slow(clock)) {
			CompletableFuture<LockHandle> waiting = slow.acquireAsync(ENDLESS);
			clock.advance(Duration.ofMinutes(10));
			assertThat(answers).hasValueGreaterThan(50);
			assertThat(waiting).isNotDone();
			waiting.cancel(false);
		}
	}

	@Test
	void contentionIsWaitedForWithoutEnd() {
		LockHandle held = this.other.acquire("k");
		CompletableFuture<Void> waiting = lock(ENDLESS);
		assertWaitsFor(COMMAND_TIMEOUT.multipliedBy(4), waiting);
		held.close();
		assertThat(waiting).succeedsWithin(Patience.LIMIT);
	}

	@ParameterizedTest
	@EnumSource(PlaceOutage.class)
	void placeThatWasConfirmedIsNotWaitedForThroughAnOutage(PlaceOutage outage) {
		CountDownLatch end = new CountDownLatch(1);
		AtomicBoolean down = new AtomicBoolean();
		AtomicInteger looks = new AtomicInteger();
		this.provider.enqueue.always((properly) -> outage.place(down::get, looks, end));
		try {
			CompletableFuture<LockHandle> waiting = this.template.acquireAsync(ENDLESS.withType(LockType.FAIR));
			Patience.await().until(() -> looks.get() > 12);
			assertThat(waiting).as("before the outage").isNotDone();
			down.set(true);
			assertUnavailable(waiting);
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void shortOutageDoesNotEndAPlace() {
		AtomicInteger looks = new AtomicInteger();
		// the command time-out has six looks
		this.provider.enqueue.always((properly) -> PlaceOutage.FAILURE.place(() -> looks.get() % 8 > 4, looks, null));
		AdjustableClock clock = new AdjustableClock();
		try (DefaultLockTemplate slow = slow(clock)) {
			CompletableFuture<LockHandle> waiting = slow.acquireAsync(ENDLESS.withType(LockType.FAIR));
			clock.advance(Duration.ofMinutes(10));
			assertThat(looks).hasValueGreaterThan(50);
			assertThat(waiting).isNotDone();
			waiting.cancel(false);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void callsBehindAnotherEndWithIt(boolean placesAreTaken) {
		this.provider.queuesExclusive = placesAreTaken;
		AtomicBoolean down = new AtomicBoolean();
		AtomicInteger looks = new AtomicInteger();
		if (placesAreTaken) {
			this.provider.enqueue.always((properly) -> PlaceOutage.FAILURE.place(down::get, looks, null));
		}
		else {
			this.provider.acquire.always(Trick.answering(null));
		}
		List<CompletableFuture<Void>> calls = IntStream.range(0, 20).mapToObj((i) -> lock(ENDLESS)).toList();
		Patience.await().until(() -> this.template.activity().waiting().size() == 20);
		Patience.await().until(() -> looks.get() > 2 || !placesAreTaken);
		down.set(true);
		this.provider.acquire.always(Trick.never());
		int asked = this.provider.acquire.calls() + this.provider.enqueue.calls();
		calls.forEach(EndlessWaitTests::assertUnavailable);
		assertThat(this.provider.acquire.calls() + this.provider.enqueue.calls() - asked)
			.as("questions of all calls together")
			.isLessThanOrEqualTo(3);
		assertKeyCanBeLocked();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void callsEndBehindOneThatWaitsOn(boolean endless) {
		LockRequest patient = endless ? ENDLESS.withWaitThroughOutage(true)
				: LockRequest.of("k").withWaitTime(Duration.ofMinutes(2));
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		CompletableFuture<LockHandle> first = acquireElsewhere(patient);
		CompletableFuture<LockHandle> second = acquireElsewhere(ENDLESS);
		assertUnavailable(second);
		CompletableFuture<LockHandle> third = acquireElsewhere(ENDLESS);
		assertUnavailable(third);
		assertThat(first).isNotDone();
		this.provider.acquire.behave();
		assertThat(first).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

	@Test
	void holderOfTheSameJvmIsContentionUntilItsLeaseEnds() {
		LockHandle held = this.template.acquireAsync(LockRequest.of("k").withLeaseTime(Duration.ofSeconds(3))).join();
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		this.provider.release.always(Trick.failing(EndlessWaitTests::unreachable));
		List<CompletableFuture<Void>> waiting = List.of(lock(ENDLESS), lock(ENDLESS));
		List<CompletableFuture<Boolean>> heldAtTheEnd = waiting.stream()
			.map((call) -> call.handle((done, failure) -> held.isValid()))
			.toList();
		waiting.forEach(EndlessWaitTests::assertUnavailable);
		assertThat(heldAtTheEnd).allSatisfy((each) -> assertThat(each).succeedsWithin(Patience.LIMIT).isEqualTo(false));
		this.provider.release.behave();
		held.close();
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void eachLockTypeFails(LockType type) {
		LockRequest request = (type == LockType.SEMAPHORE) ? ENDLESS.withPermits(1) : ENDLESS.withType(type);
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		this.provider.enqueue.always((properly) -> PlaceOutage.FAILURE.place(() -> true, new AtomicInteger(), null));
		assertUnavailable(lock(request));
		this.provider.enqueue.behave();
		assertKeyCanBeLocked();
	}

	@Test
	void waiterForAPermitFails() {
		LockRequest permit = ENDLESS.withPermits(1);
		LockHandle held = this.template.acquireAsync(permit).join();
		List<CompletableFuture<Void>> waiting = List.of(lock(permit), lock(permit));
		Patience.await().until(() -> this.template.activity().waiting().size() == 2);
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		waiting.forEach(EndlessWaitTests::assertUnavailable);
		held.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void severalLocksFailTogether(boolean async) {
		LockRequest several = LockRequest.ofAll(List.of("j", "k")).withWaitTime(WITHOUT_END);
		this.provider.acquire.next((properly) -> properly.get());
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		assertUnavailable(async ? this.template.acquireAsync(several) : lock(several));
		assertThat(this.provider.isFree("j")).isTrue();
		assertKeyCanBeLocked();
	}

	@Test
	void asynchronousCallsFail() {
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		CompletableFuture<LockHandle> acquired = this.template.acquireAsync(ENDLESS);
		CompletableFuture<String> executed = this.template.executeAsync(LockRequest.of("j").withWaitTime(WITHOUT_END),
				() -> CompletableFuture.completedFuture("done"));
		assertUnavailable(acquired);
		assertUnavailable(executed);
		assertKeyCanBeLocked();
	}

	@Test
	void templateMayLetAllCallsWaitOn() {
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		try (DefaultLockTemplate patient = builder().waitThroughOutage(true).build()) {
			CompletableFuture<LockHandle> waiting = patient.acquireAsync(ENDLESS);
			assertWaitsFor(COMMAND_TIMEOUT.multipliedBy(4), waiting);
			this.provider.acquire.behave();
			assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	@Test
	void callThatWaitsOnSaysSoEachMinute() {
		PrintStream before = System.err;
		ByteArrayOutputStream log = new ByteArrayOutputStream();
		AdjustableClock clock = new AdjustableClock();
		System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
		this.provider.acquire.always(Trick.failing(EndlessWaitTests::unreachable));
		try (DefaultLockTemplate patient = DefaultLockTemplate.builder()
			.provider(this.provider)
			.runtime(clock::runtime)
			.commandTimeout(Duration.ofSeconds(5))
			.build()) {
			CompletableFuture<LockHandle> waiting = patient
				.acquireAsync(ENDLESS.withKey("said").withWaitThroughOutage(true));
			clock.advance(Duration.ofSeconds(4));
			assertThat(warnings(log)).isZero();
			clock.advance(Duration.ofSeconds(4));
			assertThat(warnings(log)).isEqualTo(1);
			assertThat(log.toString(StandardCharsets.UTF_8)).contains("Lock 'said' of provider tricky")
				.contains("unreachable");
			clock.advance(Duration.ofMinutes(2));
			assertThat(warnings(log)).isBetween(2L, 3L);
			clock.advance(Duration.ofMinutes(60));
			assertThat(waiting).isNotDone();
			waiting.cancel(false);
		}
		finally {
			System.setErr(before);
		}
	}

	@Test
	void optionIsPartOfTheRequest() {
		LockRequest request = LockRequest.ofAll(List.of("a", "b"));
		assertThat(request.parts()).noneMatch(LockRequest::waitThroughOutage);
		LockRequest patient = request.withWaitThroughOutage(true).withWaitTime(WITHOUT_END);
		assertThat(patient.parts()).allMatch(LockRequest::waitThroughOutage);
		assertThat(patient.toString()).contains("waitThroughOutage=true");
	}

	private static long warnings(ByteArrayOutputStream log) {
		return log.toString(StandardCharsets.UTF_8)
			.lines()
			.filter((line) -> line.contains("Lock 'said'") && line.contains("waited for through an outage"))
			.count();
	}

	private DefaultLockTemplate template() {
		return builder().build();
	}

	/**
	 * A pause of the machine is much shorter than the command time-out of this one.
	 */
	private DefaultLockTemplate slow(AdjustableClock clock) {
		return builder().runtime(clock::runtime)
			.commandTimeout(Duration.ofMinutes(1))
			.pollInterval(Duration.ofSeconds(10))
			.build();
	}

	private LockTemplateBuilder builder() {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.commandTimeout(COMMAND_TIMEOUT)
			.pollInterval(Duration.ofMillis(50));
	}

	private static BackendException unreachable() {
		return new BackendException("unreachable", true, null);
	}

	private static Trick<CompletionStage<Lease>> late() {
		return (properly) -> new CompletableFuture<Lease>().completeOnTimeout(null, COMMAND_TIMEOUT.toMillis() * 3,
				TimeUnit.MILLISECONDS);
	}

	/**
	 * Lock and unlock on a thread of its own.
	 */
	private CompletableFuture<Void> lock(LockRequest request) {
		return lock(this.template, request);
	}

	private static CompletableFuture<Void> lock(DefaultLockTemplate template, LockRequest request) {
		Lock lock = template.asLock(request);
		return onAThread(() -> {
			lock.lock();
			lock.unlock();
		});
	}

	private static CompletableFuture<Void> onAThread(Runnable work) {
		return CompletableFuture.runAsync(work, (task) -> {
			Thread thread = new Thread(task, "endless");
			thread.setDaemon(true);
			thread.start();
		});
	}

	private CompletableFuture<LockHandle> acquireElsewhere(LockRequest request) {
		return OtherThread.call(() -> this.template.acquireAsync(request));
	}

	private static void assertWaitsFor(Duration time, CompletableFuture<?> waiting) {
		long end = System.nanoTime() + time.toNanos();
		Patience.await().until(() -> waiting.isDone() || System.nanoTime() - end > 0);
		assertThat(waiting).isNotDone();
	}

	private static void assertUnavailable(CompletableFuture<?> call) {
		assertThat(call).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	private void assertKeyCanBeLocked() {
		this.provider.acquire.behave();
		this.provider.enqueue.behave();
		Leftovers.assertNone(this.template);
		assertThat(lock(LockRequest.of("k"))).succeedsWithin(Patience.LIMIT);
	}

	/**
	 * How a place behind others finds out that the backend is down.
	 */
	private enum PlaceOutage {

		/**
		 * Its questions fail.
		 */
		FAILURE,

		/**
		 * Its questions throw.
		 */
		THROWN,

		/**
		 * It blocks who asks about it.
		 */
		BLOCKED,

		/**
		 * It throws when it is asked whether others are in front.
		 */
		BROKEN;

		LockQueue.Place place(BooleanSupplier down, AtomicInteger looks, CountDownLatch end) {
			LockQueue.Place asking = AskingPlace.take(() -> {
				looks.incrementAndGet();
				if (down.getAsBoolean() && this == FAILURE) {
					return ScriptedProvider.unreachable();
				}
				if (down.getAsBoolean() && this == THROWN) {
					throw unreachable();
				}
				return ScriptedProvider.contended();
			}, () -> {
			}, null);
			return new LockQueue.Place() {

				@Override
				public CompletionStage<Lease> granted() {
					return asking.granted();
				}

				@Override
				public void lookAgain() {
					if (down.getAsBoolean() && PlaceOutage.this == BLOCKED) {
						Trick.asked(Trick.blocking(end), () -> true);
					}
					asking.lookAgain();
				}

				@Override
				public boolean isBehindOthers() {
					if (down.getAsBoolean() && PlaceOutage.this == BROKEN) {
						throw new IllegalStateException("no position");
					}
					return asking.isBehindOthers();
				}

				@Override
				public void leave() {
					asking.leave();
				}

			};
		}

	}

}
