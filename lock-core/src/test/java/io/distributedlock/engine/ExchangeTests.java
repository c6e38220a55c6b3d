package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseExchange.Exchange;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.clock.AdjustableClock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * A release that takes the place of the next caller in the same step, and what happens if
 * a provider does that badly.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
class ExchangeTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(400);

	private static final Duration LONG = Duration.ofSeconds(60);

	private final TrickyProvider provider = new TrickyProvider();

	/**
	 * Longer than a busy machine may pause, and short enough for a release that is tried
	 * again after a part of it.
	 */
	private final DefaultLockTemplate template = template(Duration.ofSeconds(10));

	/**
	 * For what is never answered.
	 */
	private final DefaultLockTemplate hasty = template(COMMAND_TIMEOUT);

	private DefaultLockTemplate template(Duration commandTimeout) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(LONG)
			.renewalLeaseTime(Duration.ofSeconds(4))
			.commandTimeout(commandTimeout)
			.pollInterval(Duration.ofMillis(50))
			.handOverWindow(Duration.ZERO)
			.build();
	}

	@BeforeEach
	void queue() {
		this.provider.exchanges = true;
	}

	@AfterEach
	void close() {
		this.provider.release.behave();
		this.template.close();
		this.hasty.close();
	}

	@Test
	void releaseTakesThePlaceOfTheNextCaller() {
		LockHandle first = held();
		CompletableFuture<LockHandle> second = waiting();
		CompletableFuture<LockHandle> third = waiting();
		first.close();
		assertThat(second).succeedsWithin(LONG);
		assertThat(third).isNotDone();
		assertThat(this.provider.exchange.calls()).isEqualTo(1);
		assertThat(this.provider.release.calls()).isZero();
		second.join().close();
		assertThat(third).succeedsWithin(LONG).satisfies(LockHandle::close);
		assertThat(this.provider.exchange.calls()).isEqualTo(2);
		assertThat(this.provider.release.calls()).as("nobody waits").isEqualTo(1);
		assertThat(this.provider.enqueue.calls()).as("one place for each call").isEqualTo(3);
		assertNothingIsLeft();
	}

	@Test
	void callersThatCannotHaveAPlaceAreLetInAfterTheRelease() {
		LockHandle first = held();
		CompletableFuture<LockHandle> other = this.template.acquireAsync(request().withType(LockType.WRITE));
		first.close();
		assertThat(other).succeedsWithin(LONG).satisfies(LockHandle::close);
		assertThat(this.provider.exchange.calls()).isZero();
		assertNothingIsLeft();
	}

	@Test
	void nextCallerIsLetInAfterTheMinimumHoldTime() {
		AdjustableClock clock = new AdjustableClock();
		TrickyProvider delaying = new TrickyProvider("delaying", new LocalLockProvider(clock::nanoTime));
		delaying.exchanges = true;
		try (DefaultLockTemplate node = DefaultLockTemplate.builder()
			.provider(delaying)
			.runtime(clock::runtime)
			.waitTime(Duration.ofHours(1))
			.commandTimeout(LONG)
			.pollInterval(Duration.ofSeconds(10))
			.handOverWindow(Duration.ZERO)
			.build()) {
			LockHandle minimum = node.acquireAsync(request().withHoldAtLeast(Duration.ofMinutes(5))).join();
			CompletableFuture<LockHandle> next = node.acquireAsync(request());
			minimum.close();
			assertThat(next).isNotDone();
			clock.advance(Duration.ofMinutes(6));
			assertThat(next).succeedsWithin(LONG).satisfies(LockHandle::close);
			assertThat(delaying.exchange.calls()).isZero();
			Leftovers.assertNone(node);
		}
	}

	static Stream<Trick<Exchange>> badExchanges() {
		return Stream.of(Trick.throwingError(), Trick.throwing(StackOverflowError::new), Trick.returningNull(),
				(properly) -> new Exchange(null, null), (properly) -> new Exchange(properly.get().released(), null),
				(properly) -> new Exchange(null, properly.get().place()),
				(properly) -> new Exchange(failed(false), lostPlace(false)));
	}

	@ParameterizedTest
	@MethodSource("badExchanges")
	void badExchangeHarmsNobodyButTheTwoCalls(Trick<Exchange> bad) {
		LockHandle first = held();
		CompletableFuture<LockHandle> second = waiting();
		CompletableFuture<LockHandle> third = waiting();
		this.provider.exchange.next(bad);
		assertThatCode(first::close).doesNotThrowAnyException();
		CompletableFuture<LockHandle> ended = second.whenComplete((handle, failure) -> {
			if (handle != null) {
				handle.close();
			}
		});
		Patience.await().atMost(LONG).until(ended::isDone);
		if (ended.isCompletedExceptionally()) {
			assertThat(ended).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockUnavailableException.class);
		}
		assertThat(third).succeedsWithin(LONG).satisfies(LockHandle::close);
		assertNothingIsLeft();
	}

	static Stream<Trick<Exchange>> exchangesThatReleaseNothing() {
		return Stream.of(Trick.throwingError(), Trick.returningNull(), (properly) -> new Exchange(null, null),
				(properly) -> new Exchange(failed(true), lostPlace(true)));
	}

	@ParameterizedTest
	@MethodSource("exchangesThatReleaseNothing")
	void leaseIsReleasedByItselfIfTheExchangeDidNot(Trick<Exchange> bad) {
		LockHandle first = held();
		CompletableFuture<LockHandle> second = this.template
			.acquireAsync(request().withWaitTime(COMMAND_TIMEOUT.multipliedBy(10)));
		this.provider.exchange.next(bad);
		first.close();
		assertThat(this.provider.release.calls()).isEqualTo(1);
		second.handle((handle, failure) -> handle).thenAccept((handle) -> {
			if (handle != null) {
				handle.close();
			}
		});
		assertNothingIsLeft();
	}

	@Test
	void exchangeThatFailsIsFollowedByAReleaseAndAQuestion() {
		LockHandle first = held();
		CompletableFuture<LockHandle> second = waiting();
		this.provider.exchange.next((properly) -> new Exchange(failed(true), lostPlace(true)));
		first.close();
		assertThat(second).succeedsWithin(LONG).satisfies(LockHandle::close);
		assertThat(this.provider.release.calls()).isEqualTo(2);
		assertNothingIsLeft();
	}

	@Test
	void exchangeWithoutAnAnswerEndsWithTheCommandTimeout() {
		LockHandle first = acquired(this.hasty, request());
		CompletableFuture<LockHandle> second = this.hasty.acquireAsync(request());
		CountDownLatch left = new CountDownLatch(1);
		this.provider.exchange.next((properly) -> new Exchange(new CompletableFuture<>(), silentPlace(left)));
		assertThatCode(first::close).doesNotThrowAnyException();
		assertThat(left).satisfies((latch) -> assertThat(latch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue());
		// nobody has released it, so it expires; the call asks again until then
		assertThat(second).succeedsWithin(LONG).satisfies(LockHandle::close);
		assertNothingIsLeft(this.hasty);
	}

	@Test
	void leaseThatComesAfterTheCommandTimeoutIsReleased() {
		LockHandle first = acquired(this.hasty, request());
		CompletableFuture<LockHandle> second = this.hasty.acquireAsync(request());
		CompletableFuture<Void> opened = new CompletableFuture<>();
		this.provider.exchange.next((properly) -> {
			Exchange exchange = properly.get();
			return new Exchange(opened.thenCompose((ignored) -> exchange.released()),
					delayed(exchange.place(), opened));
		});
		int places = this.provider.enqueue.calls();
		first.close();
		Patience.await("the call asks again").until(() -> this.provider.enqueue.calls() > places);
		opened.complete(null);
		assertThat(second).succeedsWithin(LONG).satisfies(LockHandle::close);
		assertNothingIsLeft(this.hasty);
	}

	@Test
	void callersThatGoAwayMeanwhileLeaveNothing() throws Exception {
		for (int round = 0; round < 300; round++) {
			LockHandle first = held();
			List<CompletableFuture<LockHandle>> others = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				CompletableFuture<LockHandle> other = waiting();
				other.thenAccept(LockHandle::close);
				others.add(other);
			}
			CompletableFuture<Void> cancelling = CompletableFuture
				.runAsync(() -> others.get(ThreadLocalRandom.current().nextInt(3)).cancel(true));
			first.close();
			cancelling.get(Patience.SECONDS, TimeUnit.SECONDS);
			assertThat(CompletableFuture.allOf(others.toArray(CompletableFuture[]::new)).exceptionally((gone) -> null))
				.succeedsWithin(LONG);
		}
		assertNothingIsLeft();
	}

	@Test
	void callOfAClosedTemplateTakesNoPlace() {
		LockHandle first = acquired(this.hasty, request());
		CompletableFuture<LockHandle> second = this.hasty.acquireAsync(request());
		CompletableFuture<LockHandle> third = this.hasty.acquireAsync(request());
		CountDownLatch closing = new CountDownLatch(1);
		this.provider.exchange.next(Trick.blocking(closing));
		CompletableFuture<Void> closed = CompletableFuture.runAsync(first::close, (run) -> new Thread(run).start());
		Patience.await().until(() -> this.provider.exchange.calls() == 1);
		this.hasty.close();
		closing.countDown();
		assertThat(closed).succeedsWithin(LONG);
		assertThat(second).failsWithin(LONG);
		assertThat(third).failsWithin(LONG);
		Patience.await().atMost(LONG).until(() -> this.provider.isFree("k"));
	}

	private void assertNothingIsLeft() {
		assertNothingIsLeft(this.template);
	}

	private void assertNothingIsLeft(DefaultLockTemplate node) {
		Leftovers.assertNone(node);
		Patience.await().atMost(LONG).until(() -> this.provider.isFree("k"));
	}

	private LockHandle held() {
		return acquired(this.template, request());
	}

	private static LockHandle acquired(DefaultLockTemplate node, LockRequest request) {
		// not acquire: what this thread has, it would enter again
		return node.acquireAsync(request).orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

	private CompletableFuture<LockHandle> waiting() {
		return this.template.acquireAsync(request());
	}

	private static LockRequest request() {
		return LockRequest.of("k");
	}

	private static <T> CompletionStage<T> failed(boolean retryable) {
		return CompletableFuture.failedFuture(new BackendException("connection lost", retryable, null));
	}

	private static LockQueue.Place lostPlace(boolean retryable) {
		return place(failed(retryable), () -> {
		});
	}

	private static LockQueue.Place silentPlace(CountDownLatch left) {
		return place(new CompletableFuture<>(), left::countDown);
	}

	private static LockQueue.Place delayed(LockQueue.Place place, CompletableFuture<?> opened) {
		return place(opened.thenCompose((ignored) -> place.granted()), () -> {
		});
	}

	private static LockQueue.Place place(CompletionStage<Lease> granted, Runnable leaving) {
		return new LockQueue.Place() {

			@Override
			public CompletionStage<Lease> granted() {
				return granted;
			}

			@Override
			public void lookAgain() {
				// it knows no more
			}

			@Override
			public boolean isBehindOthers() {
				return false;
			}

			@Override
			public void leave() {
				leaving.run();
			}

		};
	}

}
