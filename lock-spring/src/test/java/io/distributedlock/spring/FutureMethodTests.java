package io.distributedlock.spring;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods that return a future: where they start, whether they start, and what they
 * re-enter.
 */
class FutureMethodTests {

	private static final Duration LONG = Patience.LIMIT;

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Jobs.class,
			Others.class);

	private final Jobs jobs = this.context.getBean(Jobs.class);

	private final LockTemplate template = this.context.getBean(LockTemplate.class);

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@RepeatedTest(50)
	void startsOnAThreadOfTheExecutor() {
		assertThat(this.jobs.thread()).succeedsWithin(LONG).isNotSameAs(Thread.currentThread());
	}

	@RepeatedTest(50)
	void startsOnAThreadOfTheExecutorWhereItReenters() {
		CompletableFuture<Thread> started = this.template.execute(LockRequest.of("k").withName("jobs"),
				() -> this.jobs.thread());
		assertThat(started).succeedsWithin(LONG).isNotSameAs(Thread.currentThread());
		assertThat(this.provider.keys()).hasSize(1);
	}

	@RepeatedTest(50)
	void fallbackStartsOnThatThreadToo() {
		this.provider.contended(true);
		assertThat(this.jobs.withFallback()).succeedsWithin(LONG).isNotSameAs(Thread.currentThread());
	}

	@Test
	void doesNotStartOnceItsFutureHasTimedOutOrWasCancelled() throws Exception {
		LockHandle held = CompletableFuture
			.supplyAsync(() -> this.template.acquire(LockRequest.of("k").withName("jobs")))
			.get();
		CompletableFuture<Thread> late = this.jobs.thread().orTimeout(50, TimeUnit.MILLISECONDS);
		CompletableFuture<Thread> cancelled = this.jobs.thread();
		cancelled.cancel(false);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> late.get(Patience.SECONDS, TimeUnit.SECONDS))
			.withCauseInstanceOf(TimeoutException.class);
		held.close();
		// a third call is served after the two
		assertThat(this.jobs.thread()).succeedsWithin(LONG);
		assertThat(this.jobs.starts()).hasSize(1);
	}

	@Test
	void reentersThroughAChainThatHadToWait() throws Exception {
		CountDownLatch insideB = new CountDownLatch(1);
		LockHandle held = CompletableFuture
			.supplyAsync(() -> this.template.acquire(LockRequest.of("b").withName("others")))
			.get();
		CompletableFuture<String> chain = this.jobs.first(insideB);
		insideB.await();
		held.close();
		assertThat(chain).succeedsWithin(LONG).isEqualTo("A-B-A");
	}

	@Test
	void stageThatIsNoFutureKeepsTheLockUntilItEnds() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletionStage<String> called = this.jobs.stage(work);
		Patience.await().until(() -> work.getNumberOfDependents() > 0);
		assertThat(called).isNotDone();
		assertThat(this.template.tryAcquire(LockRequest.of("k").withName("jobs"))).isEmpty();
		work.complete("done");
		assertThat(called).succeedsWithin(LONG).isEqualTo("done");
	}

	@Test
	void refusalsReachTheCallerUnchanged() {
		this.provider.contended(true);
		assertThat(this.jobs.impatient()).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	/**
	 * Nobody else does the work, so this is no contention.
	 */
	@Test
	void neitherStartsNorFallsBackIfTheExecutorHasNoThread() {
		ExecutorService one = Executors.newSingleThreadExecutor();
		try (AnnotationConfigApplicationContext busy = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean(Jobs.class);
			beans.registerBean(Others.class);
			beans.registerBean(DefaultLockTemplate.class,
					() -> DefaultLockTemplate.builder()
						.provider(this.provider)
						.commandTimeout(Duration.ofMillis(500))
						.executor(one)
						.build());
		})) {
			Jobs onOne = busy.getBean(Jobs.class);
			Supplier<Throwable> call = () -> onOne.withFallback().handle((value, failure) -> failure).join();
			// the time-out is short, as its end is awaited: the provider may miss it
			Throwable ended = Patience.await()
				.until(() -> CompletableFuture.supplyAsync(call, one).get(Patience.SECONDS, TimeUnit.SECONDS),
						(failure) -> !(failure instanceof LockUnavailableException));
			assertThat(ended).isInstanceOfSatisfying(LockNotAcquiredException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(Reason.NO_THREAD));
			busy.getBean(LockTemplate.class).acquire(LockRequest.of("k").withName("jobs").withWaitTime(LONG)).close();
			assertThat(onOne.starts()).isEmpty();
		}
		finally {
			one.shutdownNow();
		}
	}

	/**
	 * All threads of the executor may wait for such futures.
	 */
	@Test
	void asynchronousMethodRunsOnTheThreadThatWaitsForIt() throws Exception {
		ExecutorService one = Executors.newSingleThreadExecutor();
		try (AnnotationConfigApplicationContext asynchronous = asynchronous(one)) {
			Background background = asynchronous.getBean(Background.class);
			Thread thread = one.submit(Thread::currentThread).get();
			CompletableFuture<Thread> work = new CompletableFuture<>();
			assertThat(background.run(CompletableFuture.completedFuture(thread))).succeedsWithin(LONG);
			assertThat(background.ranOn()).isSameAs(thread);
			CompletableFuture<Thread> called = background.run(work);
			Patience.await().until(() -> work.getNumberOfDependents() > 0);
			LockTemplate locks = asynchronous.getBean(LockTemplate.class);
			assertThat(locks.tryAcquire(LockRequest.of("k").withName("background"))).isEmpty();
			work.complete(thread);
			assertThat(called).succeedsWithin(LONG).isSameAs(thread);
			assertThat(one.submit(LockContext::find).get()).isEmpty();
			locks.acquire(LockRequest.of("k").withName("background")).close();
		}
		finally {
			one.shutdownNow();
		}
	}

	@Test
	void asynchronousMethodFallsBackOnTheThreadThatWaitsForIt() throws Exception {
		ExecutorService one = Executors.newSingleThreadExecutor();
		try (AnnotationConfigApplicationContext asynchronous = asynchronous(one)) {
			Background background = asynchronous.getBean(Background.class);
			this.provider.contended(true);
			Thread thread = one.submit(Thread::currentThread).get();
			assertThat(background.orInstead()).succeedsWithin(LONG).isSameAs(thread);
			assertThat(background.run(new CompletableFuture<>())).failsWithin(LONG)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(background.ranOn()).isNull();
		}
		finally {
			one.shutdownNow();
		}
	}

	@Test
	void asynchronousMethodThatLosesItsLockFails() throws Exception {
		ExecutorService one = Executors.newSingleThreadExecutor();
		try (AnnotationConfigApplicationContext asynchronous = asynchronous(one)) {
			Background background = asynchronous.getBean(Background.class);
			CompletableFuture<String> unending = new CompletableFuture<>();
			for (CompletableFuture<String> called : List.of(
					background.losing(this.provider, CompletableFuture.completedFuture("done")),
					background.losingAndCancelled(this.provider, unending))) {
				assertThat(called).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
			}
			assertThat(unending).isCancelled();
			assertThat(one.submit(LockContext::find).get()).isEmpty();
			asynchronous.getBean(LockTemplate.class)
				.acquire(LockRequest.of("k").withName("background").withWaitTime(LONG))
				.close();
		}
		finally {
			one.shutdownNow();
		}
	}

	private AnnotationConfigApplicationContext asynchronous(ExecutorService threads) {
		return Contexts.open(this.provider, false, true, (beans) -> {
			beans.register(Background.class);
			beans.registerBean("taskExecutor", Executor.class, () -> threads);
			beans.registerBean(DefaultLockTemplate.class,
					() -> DefaultLockTemplate.builder().provider(this.provider).executor(threads).build());
		});
	}

	@EnableAsync(proxyTargetClass = true)
	static class Background {

		private volatile @Nullable Thread ranOn;

		@Nullable Thread ranOn() {
			return this.ranOn;
		}

		@Async
		@DistributedLock(name = "background", key = "'k'", waitTime = "0")
		public CompletableFuture<Thread> run(CompletableFuture<Thread> work) {
			this.ranOn = Thread.currentThread();
			return work;
		}

		@Async
		@DistributedLock(name = "background", key = "'k'", waitTime = "0", fallback = "instead")
		public CompletableFuture<Thread> orInstead() {
			return run(new CompletableFuture<>());
		}

		CompletableFuture<Thread> instead() {
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

		@Async
		@DistributedLock(name = "background", key = "'k'", waitTime = "20s", onLost = OnLost.THROW)
		public CompletableFuture<String> losing(RecordingProvider provider, CompletableFuture<String> work) {
			provider.loseLast();
			return work;
		}

		@Async
		@DistributedLock(name = "background", key = "'k'", waitTime = "20s", onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> losingAndCancelled(RecordingProvider provider,
				CompletableFuture<String> work) {
			provider.loseLast();
			return work;
		}

	}

	static class Jobs {

		private final List<Thread> starts = new CopyOnWriteArrayList<>();

		private final Others others;

		Jobs(@Lazy Others others) {
			this.others = others;
		}

		List<Thread> starts() {
			return this.starts;
		}

		@DistributedLock(name = "jobs", key = "'k'", waitTime = "20s")
		public CompletableFuture<Thread> thread() {
			this.starts.add(Thread.currentThread());
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

		@DistributedLock(name = "jobs", key = "'k'", waitTime = "100ms")
		public CompletableFuture<Thread> impatient() {
			return thread();
		}

		/**
		 * Return a stage of a library that does not know futures, which the interface
		 * permits.
		 */
		@SuppressWarnings("unchecked")
		@DistributedLock(name = "jobs", key = "'k'", waitTime = "20s")
		public CompletionStage<String> stage(CompletableFuture<String> work) {
			return (CompletionStage<String>) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { CompletionStage.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("toCompletableFuture")) {
							throw new UnsupportedOperationException();
						}
						return method.invoke(work, arguments);
					});
		}

		@DistributedLock(name = "jobs", key = "'k'", waitTime = "0", fallback = "instead")
		public CompletableFuture<Thread> withFallback() {
			return thread();
		}

		CompletableFuture<Thread> instead() {
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

		@DistributedLock(name = "jobs", key = "'a'", waitTime = "20s")
		public CompletableFuture<String> first(CountDownLatch started) {
			CompletionStage<String> second = this.others.second();
			started.countDown();
			return second.thenApply((rest) -> "A-" + rest).toCompletableFuture();
		}

		@DistributedLock(name = "jobs", key = "'a'", waitTime = "20s")
		public CompletableFuture<String> third() {
			return CompletableFuture.completedFuture("A");
		}

	}

	static class Others {

		private final Jobs jobs;

		Others(Jobs jobs) {
			this.jobs = jobs;
		}

		@DistributedLock(name = "others", key = "'b'", waitTime = "20s")
		public CompletionStage<String> second() {
			return this.jobs.third().thenApply((rest) -> "B-" + rest);
		}

	}

}
