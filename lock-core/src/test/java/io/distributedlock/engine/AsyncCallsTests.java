package io.distributedlock.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.test.clock.AdjustableClock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Calls that return a future: what they are given, on which thread they go on, and what
 * is left when nobody waits for them any more.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
class AsyncCallsTests {

	private static final LockRequest K = LockRequest.of("k");

	private final TrickyProvider provider = new TrickyProvider();

	private final ExecutorService client = Executors.newSingleThreadExecutor((task) -> new Thread(task, "client"));

	/**
	 * An executor of the application.
	 */
	private final ExecutorService one = Executors.newSingleThreadExecutor((task) -> new Thread(task, "one"));

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(this.provider)
		.waitTime(Duration.ofSeconds(20))
		.commandTimeout(Duration.ofSeconds(10))
		.build();

	@AfterEach
	void close() {
		this.template.close();
		this.client.shutdownNow();
		this.one.shutdownNow();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockIsReleasedThoughTheExecutorNeverDeliversIt(boolean cancelled) {
		List<Runnable> kept = new CopyOnWriteArrayList<>();
		try (DefaultLockTemplate keeping = DefaultLockTemplate.builder()
			.provider(this.provider)
			.executor(kept::add)
			.build()) {
			CompletableFuture<String> future = keeping.executeAsync(LockRequest.of("kept"),
					() -> CompletableFuture.completedFuture("done"));
			Patience.await().until(() -> !kept.isEmpty());
			assertThat(this.provider.isFree("kept")).isFalse();
			if (cancelled) {
				future.cancel(false);
			}
			else {
				future.completeExceptionally(new TimeoutException());
			}
			Patience.await().until(() -> this.provider.isFree("kept"));
			// it comes too late to release the lock again, or to hand it over
			kept.forEach(Runnable::run);
			assertThat(future).isCompletedExceptionally();
			Leftovers.assertNone(keeping);
		}
	}

	@Test
	void minimumHoldTimeIsKeptThoughTheLastHolderNeverGotTheLock() {
		LockRequest request = K.withHoldAtLeast(Duration.ofMinutes(10)).withWaitTime(Duration.ZERO);
		try (DefaultLockTemplate keeping = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.commandTimeout(Patience.LIMIT)
			.executor((task) -> {
				// has no thread for it
			})
			.build()) {
			LockHandle worked = keeping.acquire(request);
			CompletableFuture<String> reentered = keeping.executeAsync(request,
					() -> CompletableFuture.completedFuture("done"));
			worked.close();
			assertThat(keeping.activity().held()).hasSize(1);
			reentered.cancel(false);
			Leftovers.assertNone(keeping);
			assertThat(keeping.tryAcquire(request)).isEmpty();
		}
	}

	@Test
	void workThatIsNoStageIsAFailureAndGivesTheLockBack() {
		CompletableFuture<String> result = this.template.executeAsync(K, () -> null);
		assertThat(result).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("'k'");
		assertLockIsReleased();
	}

	@Test
	void workThatThrowsACheckedExceptionGivesTheLockBack() {
		CompletableFuture<String> result = this.template.executeAsync(K, () -> {
			throw AsyncCallsTests.<RuntimeException>asIs(new IOException("disk"));
		});
		assertThat(result).failsWithin(Patience.LIMIT).withThrowableThat().withCauseInstanceOf(IOException.class);
		assertLockIsReleased();
	}

	@SuppressWarnings({ "TypeParameterUnusedInFormals", "unchecked" })
	private static <E extends Throwable> E asIs(Throwable ex) throws E {
		throw (E) ex;
	}

	@Test
	void workWhoseStageThrowsGivesTheLockBack() {
		CompletableFuture<String> hostile = new CompletableFuture<>() {
			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				throw new UnsupportedOperationException("not this way");
			}
		};
		assertThat(this.template.executeAsync(K, () -> hostile)).failsWithin(Patience.LIMIT);
		assertLockIsReleased();
	}

	@Test
	void workDoesNotStartIfTheLeaseEndedWhileItWaitedForAThread() throws Exception {
		ExecutorService busy = Executors.newSingleThreadExecutor();
		AdjustableClock clock = new AdjustableClock();
		TrickyProvider timed = new TrickyProvider("timed", new LocalLockProvider(clock::nanoTime));
		try (DefaultLockTemplate onBusy = DefaultLockTemplate.builder()
			.provider(timed)
			.runtime(clock::runtime)
			.waitTime(Duration.ofHours(1))
			.executor(busy)
			.build()) {
			CountDownLatch done = new CountDownLatch(1);
			busy.execute(() -> awaitUninterruptibly(done));
			AtomicInteger started = new AtomicInteger();
			CompletableFuture<String> result = onBusy.executeAsync(K.withLeaseTime(Duration.ofMinutes(1)), () -> {
				started.incrementAndGet();
				return CompletableFuture.completedFuture("done");
			});
			Patience.await().until(() -> timed.leases.size() == 1);
			clock.advance(Duration.ofMinutes(2));
			assertThat(timed.isFree("k")).isTrue();
			done.countDown();
			assertThat(result).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class);
			assertThat(started).hasValue(0);
			Leftovers.assertNone(onBusy);
		}
		finally {
			busy.shutdownNow();
		}
	}

	static Stream<Function<DefaultLockTemplate, CompletableFuture<?>>> callsThatTheClientAnswers() {
		return Stream.of((template) -> template.acquireAsync(K), (template) -> template.tryAcquireAsync(K),
				(template) -> template.acquireAsync(LockRequest.ofAll(List.of("a", "b"))),
				(template) -> template.acquireAsync(K.withPermits(1)),
				(template) -> template.executeAsync(K, () -> CompletableFuture.completedFuture("done")),
				(template) -> template.executeAsync(LockRequest.ofAll(List.of("a", "b")),
						() -> CompletableFuture.completedFuture("done")),
				(template) -> template.acquire(K).extendAsync(Duration.ofMinutes(1)),
				(template) -> template.acquire(K).closeAsync(),
				(template) -> template.acquire(LockRequest.ofAll(List.of("a", "b"))).extendAsync(Duration.ofMinutes(1)),
				(template) -> template.acquire(LockRequest.ofAll(List.of("a", "b"))).closeAsync());
	}

	/**
	 * As each of eight threads of an application may do at the same time.
	 */
	@ParameterizedTest
	@MethodSource("callsThatTheClientAnswers")
	void futureMayBeWaitedForOnTheOnlyThreadOfTheExecutor(Function<DefaultLockTemplate, CompletableFuture<?>> call) {
		answerOnTheClientsThread();
		try (DefaultLockTemplate onOne = onTheOnlyThread(Duration.ofSeconds(5))) {
			Optional<Throwable> failure = CompletableFuture
				.supplyAsync(() -> call.apply(onOne).handle((value, ex) -> Optional.ofNullable(ex)).join(), this.one)
				.orTimeout(Patience.SECONDS, TimeUnit.SECONDS)
				.join();
			assertThat(failure.map(Failures::unwrap)).satisfiesAnyOf((ended) -> assertThat(ended).isEmpty(),
					(ended) -> assertThat(ended).containsInstanceOf(LockNotAcquiredException.class)
						.hasValueSatisfying((ex) -> assertThat(((LockNotAcquiredException) ex).getReason())
							.isEqualTo(Reason.NO_THREAD)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "k", "a,k" })
	void workThatGetsNoThreadInTimeGivesTheLockBack(String keys) throws Exception {
		CountDownLatch blocked = new CountDownLatch(1);
		AtomicInteger started = new AtomicInteger();
		LockRequest request = LockRequest.ofAll(List.of(keys.split(","))).withWaitTime(Duration.ofMillis(200));
		// in that time the locks are acquired, on a busy machine too
		Duration commandTimeout = Duration.ofSeconds(4);
		try (DefaultLockTemplate onOne = onTheOnlyThread(commandTimeout)) {
			this.one.execute(() -> awaitUninterruptibly(blocked));
			AtomicReference<LockException> refused = new AtomicReference<>();
			long before = System.nanoTime();
			CompletableFuture<String> result = onOne.executeAsync(request, () -> {
				started.incrementAndGet();
				return CompletableFuture.completedFuture("done");
			}, (refusal) -> {
				refused.set(refusal);
				return CompletableFuture.failedFuture(refusal);
			});
			assertThat(result).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class)
				.withMessageContaining("no thread of the executor");
			assertThat(Duration.ofNanos(System.nanoTime() - before)).as("not before its time is over")
				.isGreaterThan(commandTimeout);
			assertThat(refused.get()).isInstanceOfSatisfying(LockNotAcquiredException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(Reason.NO_THREAD));
			Leftovers.assertNone(onOne);
			assertThat(this.provider.isFree("k")).isTrue();
			blocked.countDown();
			this.one.submit(() -> {
			}).get(Patience.SECONDS, TimeUnit.SECONDS);
			assertThat(started).hasValue(0);
		}
	}

	@Test
	void refusalComesThoughTheExecutorIsBusy() {
		CountDownLatch blocked = new CountDownLatch(1);
		LockHandle held = this.template.acquire(K);
		try (DefaultLockTemplate onOne = onTheOnlyThread(Duration.ofSeconds(10))) {
			this.one.execute(() -> awaitUninterruptibly(blocked));
			assertThat(onOne.executeAsync(K.withWaitTime(Duration.ZERO), AsyncCallsTests::nothing))
				.failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class)
				.withMessageContaining("another owner held it");
		}
		finally {
			blocked.countDown();
			held.close();
		}
	}

	@Test
	void callForSeveralLocksEndsThoughNeitherBackendNorExecutorAnswers() {
		CountDownLatch blocked = new CountDownLatch(1);
		this.provider.acquire.always(Trick.never());
		try (DefaultLockTemplate onOne = onTheOnlyThread(Duration.ofSeconds(1))) {
			this.one.execute(() -> awaitUninterruptibly(blocked));
			assertThat(onOne.acquireAsync(LockRequest.ofAll(List.of("a", "b")).withWaitTime(Duration.ZERO)))
				.failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class);
		}
		finally {
			blocked.countDown();
		}
	}

	@Test
	void callForSeveralLocksNamesTheOneThatItsBackendDoesNotAnswer() {
		TrickyProvider silent = new TrickyProvider("z-silent");
		silent.acquire.always(Trick.never());
		List<LockEvent> told = new CopyOnWriteArrayList<>();
		try (DefaultLockTemplate hasty = DefaultLockTemplate.builder()
			.provider(this.provider)
			.provider(silent)
			.commandTimeout(Duration.ofSeconds(2))
			.listener(LockListener.of(LockEvent.Unavailable.class, told::add))
			.build()) {
			assertThat(hasty.tryAcquireAsync(K.and(LockRequest.of("b").withProvider("z-silent"))))
				.failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(LockUnavailableException.class,
						(ex) -> assertThat(List.of(ex.getProvider(), ex.getKey())).containsExactly("z-silent", "b"));
			Patience.await().until(() -> told.stream().anyMatch((event) -> event.provider().equals("z-silent")));
			Leftovers.assertNone(hasty);
			assertThat(this.provider.isFree("k")).isTrue();
		}
	}

	@Test
	void manyLocksAreAcquiredThoughTheExecutorIsBusy() {
		CountDownLatch blocked = new CountDownLatch(1);
		try (DefaultLockTemplate onOne = onTheOnlyThread(Duration.ofSeconds(5))) {
			this.one.execute(() -> awaitUninterruptibly(blocked));
			List<String> keys = IntStream.range(0, 60).mapToObj((i) -> "k" + i).toList();
			assertThat(onOne.acquireAsync(LockRequest.ofAll(keys).withWaitTime(Duration.ZERO)))
				.succeedsWithin(Patience.LIMIT)
				.satisfies(LockHandle::close);
		}
		finally {
			blocked.countDown();
		}
	}

	/**
	 * A thread that carries a context is used, if there is one. It may come late once.
	 */
	@ParameterizedTest
	@MethodSource("callsThatTheClientAnswers")
	void continuationsRunOnTheExecutorThatIsNotBusy(Function<DefaultLockTemplate, CompletableFuture<?>> call) {
		answerOnTheClientsThread();
		Patience.await().until(() -> {
			try (DefaultLockTemplate onOne = onTheOnlyThread(Duration.ofSeconds(10))) {
				CompletableFuture<String> goesOnOn = new CompletableFuture<>();
				call.apply(onOne).whenComplete((value, failure) -> goesOnOn.complete(Thread.currentThread().getName()));
				return goesOnOn.get(Patience.SECONDS, TimeUnit.SECONDS).equals("one");
			}
		});
	}

	private DefaultLockTemplate onTheOnlyThread(Duration commandTimeout) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Duration.ofSeconds(1))
			.commandTimeout(commandTimeout)
			.executor(this.one)
			.build();
	}

	@ParameterizedTest
	@MethodSource("callsThatTheClientAnswers")
	void continuationsDoNotRunOnAThreadOfTheClient(Function<DefaultLockTemplate, CompletableFuture<?>> call) {
		answerOnTheClientsThread();
		CompletableFuture<String> goesOnOn = new CompletableFuture<>();
		CompletableFuture.runAsync(() -> call.apply(this.template)
			.whenComplete((value, failure) -> goesOnOn.complete(Thread.currentThread().getName())));
		assertThat(goesOnOn).succeedsWithin(Patience.LIMIT).isNotEqualTo("client");
	}

	@Test
	void continuationMayLockAgainWithAClientOfOneThread() {
		answerOnTheClientsThread();
		CompletableFuture<String> twice = this.template
			.executeAsync(LockRequest.of("a"), () -> CompletableFuture.completedFuture("done"))
			.thenApply((done) -> {
				this.template.acquire("c").close();
				return done;
			});
		assertThat(twice).succeedsWithin(Patience.LIMIT);
		Leftovers.assertNone(this.template);
	}

	/**
	 * So late that whoever waits for the answer has said what shall come after it.
	 */
	private void answerOnTheClientsThread() {
		Executor late = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS, this.client);
		this.provider.acquire.always(Trick.on(late));
		this.provider.renew.always(Trick.on(late));
		this.provider.release.always(Trick.on(late));
	}

	@Test
	void workDoesNotRunOnceItsFutureHasTimedOut() {
		LockHandle held = OtherThread.call(() -> this.template.acquire(K));
		AtomicInteger started = new AtomicInteger();
		CompletableFuture<String> result = this.template.executeAsync(K, () -> {
			started.incrementAndGet();
			return CompletableFuture.completedFuture("done");
		}).orTimeout(50, TimeUnit.MILLISECONDS);
		assertThat(result).failsWithin(Patience.LIMIT).withThrowableThat().withCauseInstanceOf(TimeoutException.class);
		assertNobodyWaits();
		held.close();
		assertLockIsReleased();
		assertThat(started).hasValue(0);
	}

	@Test
	void nothingIsLeftOfACallWhoseFutureHasTimedOut() {
		LockHandle held = OtherThread.call(() -> this.template.acquire(K));
		assertThat(this.template.acquireAsync(K).orTimeout(50, TimeUnit.MILLISECONDS)).failsWithin(Patience.LIMIT);
		assertThat(this.template.tryAcquireAsync(K.withWaitTime(Duration.ofMinutes(1)))
			.orTimeout(50, TimeUnit.MILLISECONDS)).failsWithin(Patience.LIMIT);
		assertThat(this.template.acquireAsync(LockRequest.ofAll(List.of("a", "k", "z")))
			.orTimeout(50, TimeUnit.MILLISECONDS)).failsWithin(Patience.LIMIT);
		this.template.acquireAsync(K).cancel(true);
		this.template.acquireAsync(K).completeExceptionally(new IllegalStateException("by the application"));
		this.template.acquireAsync(K).complete(null);
		this.template.executeAsync(K, () -> CompletableFuture.completedFuture("done")).complete("by the application");
		assertNobodyWaits();
		held.close();
		assertLockIsReleased();
		assertThat(this.template.tryAcquireAsync(LockRequest.of("a"))).succeedsWithin(Patience.LIMIT)
			.satisfies((handle) -> handle.orElseThrow().close());
	}

	@Test
	void lockThatCameForACallThatNobodyWaitsForIsReleased() {
		CompletableFuture<Void> opened = new CompletableFuture<>();
		this.provider.acquire.always(Trick.late(opened));
		CompletableFuture<LockHandle> cancelled = this.template.acquireAsync(K);
		cancelled.cancel(false);
		CompletableFuture<LockHandle> timedOut = this.template.acquireAsync(LockRequest.of("other"));
		timedOut.completeExceptionally(new TimeoutException());
		opened.complete(null);
		this.provider.acquire.behave();
		assertLockIsReleased();
		assertThat(this.provider.isFree("other")).isTrue();
	}

	@Test
	void callsThatReturnAFutureNeverThrow() {
		LockHandle reader = this.template.acquire(K.withType(LockType.READ));
		LockRequest upgrade = K.withType(LockType.WRITE);
		LockRequest unknown = K.withProvider("tibet");
		LockRequest severed = LockRequest.of("cut \ud83d");
		assertFailsAsync(() -> this.template.acquireAsync(upgrade), IllegalStateException.class);
		assertFailsAsync(() -> this.template.tryAcquireAsync(upgrade), IllegalStateException.class);
		assertFailsAsync(() -> this.template.executeAsync(upgrade, AsyncCallsTests::nothing),
				IllegalStateException.class);
		assertFailsAsync(() -> this.template.acquireAsync(unknown), IllegalArgumentException.class);
		assertFailsAsync(() -> this.template.tryAcquireAsync(unknown), IllegalArgumentException.class);
		assertFailsAsync(() -> this.template.executeAsync(unknown, AsyncCallsTests::nothing),
				IllegalArgumentException.class);
		assertFailsAsync(() -> this.template.acquireAsync(severed), IllegalArgumentException.class);
		assertFailsAsync(() -> reader.extendAsync(Duration.ZERO), IllegalArgumentException.class);
		assertFailsAsync(() -> reader.extendAsync(Duration.ofDays(5000)), IllegalArgumentException.class);
		reader.close();
		assertFailsAsync(() -> reader.extendAsync(Duration.ofSeconds(1)), LockLostException.class);
		assertThatCode(() -> reader.closeAsync().join()).doesNotThrowAnyException();
		LockHandle several = this.template.acquire(LockRequest.ofAll(List.of("a", "b")));
		assertFailsAsync(() -> several.extendAsync(Duration.ZERO), IllegalArgumentException.class);
		several.close();
		assertFailsAsync(() -> several.extendAsync(Duration.ofSeconds(1)), LockLostException.class);
		this.template.close();
		assertFailsAsync(() -> this.template.acquireAsync(K), LockNotAcquiredException.class);
		assertFailsAsync(() -> this.template.tryAcquireAsync(K), LockNotAcquiredException.class);
		assertFailsAsync(() -> this.template.executeAsync(K, AsyncCallsTests::nothing), LockNotAcquiredException.class);
		assertFailsAsync(() -> this.template.acquireAsync(LockRequest.ofAll(List.of("a", "b"))),
				LockNotAcquiredException.class);
	}

	private static CompletionStage<String> nothing() {
		return CompletableFuture.completedFuture("nothing");
	}

	private static void assertFailsAsync(Supplier<CompletableFuture<?>> call, Class<? extends Throwable> failure) {
		CompletableFuture<?>[] future = new CompletableFuture<?>[1];
		assertThatCode(() -> future[0] = call.get()).doesNotThrowAnyException();
		assertThat(future[0]).failsWithin(Patience.LIMIT).withThrowableThat().withCauseInstanceOf(failure);
	}

	private void assertNobodyWaits() {
		Patience.await().until(() -> this.template.keys.waiting() == 0);
	}

	private void assertLockIsReleased() {
		Leftovers.assertNone(this.template);
		assertThat(this.provider.isFree("k")).isTrue();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
