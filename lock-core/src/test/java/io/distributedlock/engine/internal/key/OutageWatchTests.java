package io.distributedlock.engine.internal.key;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.Leftovers;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.engine.OtherThread;
import io.distributedlock.engine.ScriptedProvider;
import io.distributedlock.engine.Trick;
import io.distributedlock.engine.TrickyProvider;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.support.AskingPlace;
import io.distributedlock.test.clock.AdjustableClock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Once a provider is known to be down, calls end at once, and one line says so.
 */
class OutageWatchTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(1);

	private static final Duration LONG = Duration.ofHours(1);

	private static final LockRequest PATIENT = LockRequest.of("k").withWaitTime(LONG);

	private final AdjustableClock clock = new AdjustableClock();

	private final TrickyProvider provider = new TrickyProvider("tricky", new LocalLockProvider(this.clock::nanoTime));

	/**
	 * What the listener was told.
	 */
	private final List<String> told = new CopyOnWriteArrayList<>();

	private final DefaultLockTemplate template = template(UnaryOperator.identity());

	@AfterEach
	void close() {
		this.provider.acquire.behave();
		this.template.close();
	}

	static Stream<Trick<CompletionStage<Lease>>> failures() {
		return Stream.of(Trick.failing(OutageWatchTests::unreachable), Trick.throwing(OutageWatchTests::unreachable),
				Trick.throwingError(), Trick.never());
	}

	@ParameterizedTest
	@MethodSource("failures")
	void callsEndOnceTheProviderHasFailedForTheCommandTimeout(Trick<CompletionStage<Lease>> failure) {
		goDown(failure);
		List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, 20)
			.mapToObj((i) -> acquireElsewhere(this.template, PATIENT.withKey("k" + i % 3)))
			.toList();
		this.clock.advance(COMMAND_TIMEOUT.dividedBy(2));
		assertThat(this.told).isEmpty();
		this.clock.advance(COMMAND_TIMEOUT.multipliedBy(2));
		assertThat(waiting).allSatisfy(OutageWatchTests::assertUnavailable);
		Patience.await().untilAsserted(() -> assertThat(this.told).containsExactly("began tricky: unreachable"));
	}

	@Test
	void callsFailAtOnceAndAskNothingWhileTheProviderIsDown() {
		goDownAndWait();
		int asked = this.provider.acquire.calls();
		long begun = this.clock.nanoTime();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<LockHandle> call = this.template.acquireAsync(PATIENT.withKey("k" + i));
			assertThat(call).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(LockUnavailableException.class)
				.withMessageContaining("k" + i)
				.withMessageContaining("provider tricky")
				.withMessageContaining("has been down for")
				.withMessageEndingWith("unreachable. The work was not run.");
		}
		int seconds = (int) TimeUnit.NANOSECONDS.toSeconds(this.clock.nanoTime() - begun);
		assertThat(this.provider.acquire.calls() - asked).as("calls that were let through in %s s", seconds)
			.isLessThanOrEqualTo(2 + seconds);
	}

	@Test
	void providerIsAskedEachSecondUntilItAnswers() {
		goDownAndWait();
		int asked = this.provider.ping.calls();
		this.clock.advance(Duration.ofSeconds(20));
		// the machine may pause during a ping, or between two
		assertThat(this.provider.ping.calls() - asked).isBetween(12, 30);
		comeBack();
		this.clock.advance(Duration.ofSeconds(10));
		Patience.await()
			.untilAsserted(() -> assertThat(this.told).hasSize(2).last().asString().startsWith("ended tricky after"));
		assertThat(this.template.acquireAsync(PATIENT)).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		int askedAfterwards = this.provider.ping.calls();
		this.clock.advance(LONG);
		assertThat(this.provider.ping.calls()).isEqualTo(askedAfterwards);
		Leftovers.assertNone(this.template);
	}

	@Test
	void nextOutageIsToldOfToo() {
		for (int i = 0; i < 3; i++) {
			this.told.clear();
			goDownAndWait();
			comeBack();
			this.clock.advance(Duration.ofSeconds(10));
			Patience.await().untilAsserted(() -> assertThat(this.told).hasSize(2));
		}
	}

	@Test
	void failuresOfSomeKeysTakeNothingDown() {
		this.provider.ping.always(Trick.answering(null));
		this.provider.acquire.always(Trick.failing(() -> new BackendException("out of memory", true, null)));
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(PATIENT);
		this.clock.advance(LONG.dividedBy(2));
		assertThat(waiting).isNotDone();
		assertThat(this.told).isEmpty();
		this.provider.acquire.behave();
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

	@Test
	void goodAnswersToOtherCallsMeanThatItIsNotDown() {
		this.provider.ping.always(Trick.failing(OutageWatchTests::unreachable));
		for (int i = 0; i < 20; i++) {
			this.provider.acquire.next(Trick.failing(OutageWatchTests::unreachable));
			assertUnavailable(this.template.acquireAsync(PATIENT.withWaitTime(Duration.ZERO)));
			this.clock.advance(COMMAND_TIMEOUT.dividedBy(2));
			assertThat(this.template.acquireAsync(PATIENT)).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
		assertThat(this.told).isEmpty();
	}

	@Test
	void providerWhosePingNeverWorksIsTriedByACall() {
		goDownAndWait();
		this.provider.acquire.behave();
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(this.told).hasSize(1);
		assertThat(this.template.acquireAsync(PATIENT)).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		Patience.await().untilAsserted(() -> assertThat(this.told).hasSize(2));
		assertThat(this.template.acquireAsync(PATIENT)).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

	@Test
	void callOnTrialEndsWithItsFailure() {
		goDownAndWait();
		this.clock.advance(Duration.ofSeconds(10));
		int asked = this.provider.acquire.calls();
		CompletableFuture<LockHandle> trial = this.template.acquireAsync(PATIENT);
		this.clock.advance(Duration.ofSeconds(1).minusMillis(200));
		assertThat(this.provider.acquire.calls()).isGreaterThan(asked);
		assertUnavailable(trial);
	}

	@Test
	void providerThatCannotBeAskedIsNeverDown() {
		this.provider.acquire.always(Trick.failing(OutageWatchTests::unreachable));
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(PATIENT);
		this.clock.advance(LONG.dividedBy(2));
		assertThat(waiting).isNotDone();
		assertThat(this.told).isEmpty();
		waiting.cancel(false);
	}

	@Test
	void requestMayWaitOn() {
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(PATIENT.withWaitThroughOutage(true));
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		goDownAndWait();
		CompletableFuture<LockHandle> patient = this.template.acquireAsync(PATIENT.withWaitThroughOutage(true));
		this.clock.advance(LONG.dividedBy(2));
		assertThat(patient).isNotDone();
		this.provider.acquire.behave();
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(patient).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		Patience.await().untilAsserted(() -> assertThat(this.told).as("its good answer ends the outage").hasSize(2));
	}

	@Test
	void templateMayLetAllCallsWaitOn() {
		try (DefaultLockTemplate patient = template((builder) -> builder.waitThroughOutage(true))) {
			goDown(Trick.failing(OutageWatchTests::unreachable));
			CompletableFuture<LockHandle> waiting = patient.acquireAsync(PATIENT);
			this.clock.advance(LONG.dividedBy(2));
			assertThat(waiting).isNotDone();
			Patience.await().untilAsserted(() -> assertThat(this.told).as("it is told of all the same").hasSize(1));
			comeBack();
			this.clock.advance(Duration.ofSeconds(10));
			assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	@Test
	void callsBehindAHolderOfTheSameJvmWaitForIt() {
		LockHandle held = acquireElsewhere(this.template, PATIENT).join();
		CompletableFuture<LockHandle> behind = acquireElsewhere(this.template, PATIENT);
		goDown(Trick.failing(OutageWatchTests::unreachable));
		assertUnavailableAfterAnOutage(PATIENT.withKey("other"));
		comeBack();
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(behind).isNotDone();
		held.close();
		assertThat(behind).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void callsThatWaitForAnotherNodeEnd(LockType type) {
		LockRequest request = (type == LockType.SEMAPHORE) ? PATIENT.withPermits(1) : PATIENT.withType(type);
		try (DefaultLockTemplate other = template(UnaryOperator.identity())) {
			LockRequest held = (type == LockType.READ) ? request.withType(LockType.WRITE) : request;
			LockHandle holder = other.acquireAsync(held.withLeaseTime(LONG.multipliedBy(2))).join();
			AtomicBoolean down = new AtomicBoolean();
			this.provider.enqueue.always((properly) -> AskingPlace
				.take(() -> down.get() ? ScriptedProvider.unreachable() : ScriptedProvider.contended(), () -> {
				}, null));
			List<CompletableFuture<LockHandle>> waiting = List.of(acquireElsewhere(this.template, request),
					acquireElsewhere(this.template, request));
			Patience.await().until(() -> this.template.activity().waiting().size() == 2);
			down.set(true);
			goDown(Trick.failing(OutageWatchTests::unreachable));
			assertUnavailableAfterAnOutage(PATIENT.withKey("other"));
			assertThat(waiting).allSatisfy(OutageWatchTests::assertUnavailable);
			comeBack();
			holder.close();
		}
	}

	@Test
	void pingThatBlocksIsNotCalledOnceMore() {
		CountDownLatch end = new CountDownLatch(1);
		this.provider.acquire.always(Trick.failing(OutageWatchTests::unreachable));
		this.provider.ping.always(Trick.blocking(end));
		try (DefaultLockTemplate soon = DefaultLockTemplate.builder()
			.provider(this.provider)
			.commandTimeout(Duration.ofMillis(100))
			.listener(new Told(this.told))
			.build()) {
			assertUnavailable(soon.acquireAsync(PATIENT));
			Patience.await()
				.during(Duration.ofNanos(OutageWatch.ASK_EACH_NANOS * 3))
				.until(() -> this.provider.ping.calls() == 1);
			this.provider.ping.always(Trick.answering(null));
			end.countDown();
			Patience.await().until(() -> this.told.size() == 2);
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void pingThatBlocksIsNotCalledByTheNextOutageEither() {
		CountDownLatch end = new CountDownLatch(1);
		this.provider.ping.always(Trick.blocking(end));
		try (DefaultLockTemplate soon = DefaultLockTemplate.builder()
			.provider(this.provider)
			.commandTimeout(Duration.ofSeconds(5))
			.listener(new Told(this.told))
			.build()) {
			for (int i = 0; i < 20; i++) {
				this.provider.acquire.next(Trick.failing(OutageWatchTests::unreachable));
				assertUnavailable(soon.acquireAsync(PATIENT.withWaitTime(Duration.ZERO)));
				assertThat(soon.acquireAsync(PATIENT)).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
			}
			this.provider.acquire.always(Trick.failing(OutageWatchTests::unreachable));
			assertUnavailable(soon.acquireAsync(PATIENT));
			Patience.await().until(() -> this.told.size() == 1);
			assertThat(this.provider.ping.calls()).isEqualTo(1);
		}
		finally {
			end.countDown();
		}
	}

	static Stream<Trick<CompletionStage<Object>>> pings() {
		return Stream.of(Trick.throwing(OutageWatchTests::unreachable), Trick.throwingError(), Trick.returningNull(),
				Trick.never());
	}

	@ParameterizedTest
	@MethodSource("pings")
	void pingThatMisbehavesIsNoAnswer(Trick<CompletionStage<Object>> trick) {
		goDown(Trick.failing(OutageWatchTests::unreachable));
		this.provider.ping.always(trick);
		CompletableFuture<LockHandle> call = this.template.acquireAsync(PATIENT);
		this.clock.advance(COMMAND_TIMEOUT.multipliedBy(2));
		assertUnavailable(call);
		comeBack();
		this.clock.advance(COMMAND_TIMEOUT.multipliedBy(2));
		Patience.await().untilAsserted(() -> assertThat(this.told).hasSize(2));
		Leftovers.assertNone(this.template);
	}

	@Test
	void answersThatCallsWouldNotWaitForEndNoOutage() {
		goDownAndWait();
		Queue<CompletableFuture<Object>> pings = pingsByHand();
		for (int i = 0; i < 5; i++) {
			this.clock.advance(COMMAND_TIMEOUT.plusSeconds(3));
			this.clock.settle(() -> pings.remove().complete(null));
			assertUnavailable(this.template.acquireAsync(PATIENT.withWaitTime(Duration.ZERO)));
		}
		assertThat(this.told).hasSize(1);
	}

	@Test
	void keyWithoutAnswerAndOneBadPingTakeNothingDown() {
		this.provider.ping.always(Trick.answering(null));
		this.provider.ping.next(Trick.failing(OutageWatchTests::unreachable));
		this.provider.acquire.next(Trick.never());
		CompletableFuture<LockHandle> stuck = this.template
			.acquireAsync(PATIENT.withKey("stuck").withWaitTime(Duration.ZERO));
		for (int i = 0; i < 2 * COMMAND_TIMEOUT.toSeconds(); i++) {
			this.clock.advance(Duration.ofSeconds(1));
			assertThat(this.template.acquireAsync(PATIENT)).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
		assertUnavailable(stuck);
		assertThat(this.told).isEmpty();
	}

	@Test
	void placeWhoseQuestionHasNoAnswerIsNoGoodAnswer() {
		AtomicBoolean silent = new AtomicBoolean();
		this.provider.enqueue.always((properly) -> AskingPlace
			.take(() -> silent.get() ? ScriptedProvider.never() : ScriptedProvider.contended(), () -> {
			}, null));
		CompletableFuture<LockHandle> waiting = acquireElsewhere(this.template, PATIENT.withType(LockType.FAIR));
		Patience.await().until(() -> this.template.activity().waiting().size() == 1);
		silent.set(true);
		this.provider.acquire.always(Trick.failing(OutageWatchTests::unreachable));
		this.provider.ping.always(Trick.failing(OutageWatchTests::unreachable));
		assertUnavailableAfterAnOutage(PATIENT.withKey("other"));
		assertUnavailable(waiting);
	}

	@Test
	void callBehindOneThatWaitsOnEnds() {
		goDownAndWait();
		CompletableFuture<LockHandle> patient = acquireElsewhere(this.template, PATIENT.withWaitThroughOutage(true));
		CompletableFuture<LockHandle> behind = acquireElsewhere(this.template, PATIENT);
		this.clock.advance(Duration.ofSeconds(2));
		assertUnavailable(behind);
		assertThat(patient).isNotDone();
	}

	@Test
	void callWhoseHolderLeavesToOneThatWaitsOnEnds() {
		LockHandle held = acquireElsewhere(this.template, PATIENT.withLeaseTime(LONG)).join();
		CompletableFuture<LockHandle> patient = acquireElsewhere(this.template, PATIENT.withWaitThroughOutage(true));
		CompletableFuture<LockHandle> behind = acquireElsewhere(this.template, PATIENT);
		goDown(Trick.failing(OutageWatchTests::unreachable));
		assertUnavailableAfterAnOutage(PATIENT.withKey("other"));
		assertThat(behind).isNotDone();
		held.close();
		this.clock.advance(Duration.ofSeconds(2));
		assertUnavailable(behind);
		assertThat(patient).isNotDone();
	}

	@Test
	void endIsToldAfterTheBeginOnAnyExecutor() {
		Deque<Runnable> tasks = new ConcurrentLinkedDeque<>();
		try (DefaultLockTemplate unordered = template((builder) -> builder.executor(tasks::push))) {
			goDown(Trick.failing(OutageWatchTests::unreachable));
			unordered.acquireAsync(PATIENT);
			this.clock.advance(COMMAND_TIMEOUT.plusSeconds(5));
			comeBack();
			this.clock.advance(Duration.ofSeconds(5));
			tasks.forEach(Runnable::run);
			Patience.await()
				.untilAsserted(() -> assertThat(this.told).hasSize(2).first().asString().startsWith("began"));
		}
	}

	@Test
	void endIsToldAfterTheBeginThoughTheyComeTogether() {
		AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
		});
		goDown(Trick.failing(OutageWatchTests::unreachable));
		this.provider.ping.always(Trick.throwing(() -> new BackendException("unreachable", true, null) {
			@Override
			public String getMessage() {
				meanwhile.getAndSet(() -> {
				}).run();
				return super.getMessage();
			}
		}));
		Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
		try (DefaultLockTemplate ordered = template((builder) -> builder.executor(tasks::add))) {
			ordered.acquireAsync(PATIENT);
			this.clock.advance(COMMAND_TIMEOUT.dividedBy(2));
			meanwhile.set(() -> {
				comeBack();
				ordered.acquireAsync(PATIENT.withKey("other").withWaitThroughOutage(true));
			});
			this.clock.advance(COMMAND_TIMEOUT);
			tasks.forEach(Runnable::run);
			Patience.await()
				.untilAsserted(() -> assertThat(this.told).hasSize(2).first().asString().startsWith("began"));
		}
	}

	@Test
	void outageThatIsOverIsNotEndedOnceMoreByTheClose() {
		goDownAndWait();
		comeBack();
		this.clock.advance(Duration.ofSeconds(10));
		Patience.await().untilAsserted(() -> assertThat(this.told).hasSize(2));
		this.template.close();
		this.clock.advance(COMMAND_TIMEOUT.multipliedBy(3));
		Patience.await().untilAsserted(() -> assertThat(this.told).hasSize(2));
	}

	@Test
	void outageEndsWithTheTemplate() {
		goDownAndWait();
		this.template.close();
		Patience.await().until(() -> this.told.size() == 2);
		assertThat(this.told).last().asString().startsWith("ended tricky after");
	}

	@Test
	void closedTemplateSaysNothingOfItsProviders() {
		goDown(Trick.never());
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(PATIENT);
		this.template.close();
		this.clock.advance(COMMAND_TIMEOUT.multipliedBy(3));
		assertThat(waiting).failsWithin(Patience.LIMIT);
		assertThat(this.told).isEmpty();
	}

	private DefaultLockTemplate template(UnaryOperator<LockTemplateBuilder> settings) {
		return settings
			.apply(DefaultLockTemplate.builder()
				.provider(this.provider)
				.runtime(this.clock::runtime)
				.commandTimeout(COMMAND_TIMEOUT)
				.pollInterval(Duration.ofSeconds(5))
				.listener(new Told(this.told)))
			.build();
	}

	private void goDown(Trick<CompletionStage<Lease>> failure) {
		this.provider.acquire.always(failure);
		this.provider.enqueue.always((properly) -> {
			throw unreachable();
		});
		this.provider.ping.always(Trick.failing(OutageWatchTests::unreachable));
	}

	/**
	 * Let each ping be answered by the test.
	 */
	private Queue<CompletableFuture<Object>> pingsByHand() {
		Queue<CompletableFuture<Object>> pings = new ConcurrentLinkedQueue<>();
		this.provider.ping.always((properly) -> {
			CompletableFuture<Object> ping = new CompletableFuture<>();
			pings.add(ping);
			return ping;
		});
		return pings;
	}

	private void goDownAndWait() {
		goDown(Trick.failing(OutageWatchTests::unreachable));
		assertUnavailableAfterAnOutage(PATIENT);
		Patience.await().untilAsserted(() -> assertThat(this.told).hasSize(1));
	}

	private void assertUnavailableAfterAnOutage(LockRequest request) {
		CompletableFuture<LockHandle> call = acquireElsewhere(this.template, request);
		this.clock.advance(COMMAND_TIMEOUT.plusSeconds(5));
		assertUnavailable(call);
	}

	private void comeBack() {
		this.provider.acquire.behave();
		this.provider.enqueue.behave();
		this.provider.ping.always(Trick.answering(null));
	}

	private static CompletableFuture<LockHandle> acquireElsewhere(DefaultLockTemplate template, LockRequest request) {
		return OtherThread.call(() -> template.acquireAsync(request));
	}

	private static BackendException unreachable() {
		return new BackendException("unreachable", true, null);
	}

	private static void assertUnavailable(CompletableFuture<LockHandle> call) {
		assertThat(call).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	/**
	 * Writes down what it hears of outages.
	 *
	 * @param told gets a line for each
	 */
	private record Told(List<String> told) implements LockListener {

		@Override
		public void on(LockEvent event) {
			if (event instanceof LockEvent.OutageBegan outage) {
				this.told.add("began " + outage.provider() + ": " + outage.failure().getMessage());
			}
			else if (event instanceof LockEvent.OutageEnded outage) {
				this.told.add("ended " + outage.provider() + " after " + outage.lasted());
			}
		}

	}

}
