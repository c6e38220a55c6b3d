package io.distributedlock.spring;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.LockContentionHandler;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockObservation;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The attributes beside the key: conditions, several keys, and the policies for
 * contention, outage and loss.
 */
class PolicyTests {

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Work.class,
			Handler.class);

	private final Work work = this.context.getBean(Work.class);

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void severalKeysAreAcquiredInOneOrderAndReleasedInTheOther() {
		this.work.all(List.of("b", "a", "b"));
		assertThat(this.provider.events()).containsExactly("acquire t:all:a", "acquire t:all:b", "release t:all:b",
				"release t:all:a");
		this.work.array("y", "x");
		assertThat(this.provider.keys()).endsWith("t:Work.array:x", "t:Work.array:y");
	}

	@Test
	void repeatedAnnotationsAreOneCall() {
		assertThat(this.work.transfer("2", "1")).isEqualTo(2);
		assertThat(this.provider.events()).containsExactly("acquire t:account:1", "acquire t:account:2",
				"release t:account:2", "release t:account:1");
	}

	@Test
	void conditionDecidesWhetherToLock() {
		this.work.onlyLarge(5);
		assertThat(this.provider.events()).isEmpty();
		this.work.onlyLarge(500);
		assertThat(this.provider.keys()).containsExactly("t:Work.onlyLarge");
		assertThatIllegalArgumentException().isThrownBy(() -> this.work.oddCondition("x"))
			.withMessageContaining("must return a boolean");
	}

	@Test
	void skippedCallReturnsAnEmptyValue() {
		this.provider.contended(true);
		this.work.skipVoid();
		assertThat(this.work.skipObject()).isNull();
		assertThat(this.work.skipOptional()).isEmpty();
		assertThat(this.work.skipOptionalInt()).isEmpty();
		assertThat(this.work.skipOptionalLong()).isEmpty();
		assertThat(this.work.skipOptionalDouble()).isEmpty();
		assertThat(this.work.skipFuture().join()).isNull();
		assertThat(this.work.skipFutureOfOptionalLong().join()).isEmpty();
		assertThat(this.work.skipFutureOfOptional().join()).isEmpty();
		this.work.scheduled();
		assertThat(this.work.runs()).isZero();
	}

	@Test
	void fallbackRunsInsteadWithTheSameArguments() {
		this.provider.contended(true);
		assertThat(this.work.withFallback("a", 1)).isEqualTo("instead of a 1");
		assertThat(RecordingProvider.shortened(this.work.withExplainedFallback("a").join()))
			.startsWith("Lock 't:Work.withExplainedFallback:a'");
		assertThatIllegalStateException().isThrownBy(() -> this.work.withFailingFallback()).withMessage("fallback");
		assertThat(RecordingProvider.shortened(this.work.withHandler("a")))
			.isEqualTo("handled withHandler t:Work.withHandler:a");
	}

	@Test
	void onlyContentionIsSkippedOrHandled() {
		this.provider.down(true);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.work.skipVoid());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.work.withFallback("a", 1));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> this.work.skipFuture().join())
			.withCauseInstanceOf(LockUnavailableException.class);
		this.provider.down(false);
		Thread.currentThread().interrupt();
		this.provider.contended(true);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.work.waitAndSkip());
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.work.runs()).isZero();
	}

	@Test
	void contentionOfAnInnerLockIsNotThatOfTheMethod() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.work.skipButFail());
		assertThat(this.work.runs()).isEqualTo(1);
	}

	@Test
	void methodRunsWithoutTheBackendIfItsAnnotationSaysSo() {
		this.provider.down(true);
		assertThat(this.work.proceeding(null)).isEqualTo("without");
		this.provider.down(false);
		assertThat(RecordingProvider.shortened(this.work.proceeding(null))).isEqualTo("with t:Work.proceeding");
		this.provider.contended(true);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.work.proceeding(null));
	}

	@Test
	void handleIsPassedAsAParameterAndFoundOnTheThread() {
		assertThat(RecordingProvider.shortened(this.work.withHandle("a", null))).isEqualTo("t:Work.withHandle:a");
		assertThat(RecordingProvider.shortened(this.work.futureWithHandle("b", null).join()))
			.isEqualTo("t:Work.futureWithHandle:b");
	}

	@Test
	void lossIsReportedAndTheResultKept() {
		assertThat(this.work.losing(this.provider)).isEqualTo("result");
	}

	@Test
	void lossIsThrownWhenTheMethodReturns() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.work.losingAndThrowing(this.provider))
			.withMessageContaining("Work.losingAndThrowing(");
		assertThat(this.work.runs()).isEqualTo(1);
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.work.losingFuture(this.provider).join())
			.withCauseInstanceOf(LockLostException.class);
	}

	/**
	 * As with the template: a thread may be paused for longer than its lease between the
	 * grant and the call of the method.
	 */
	@Test
	void methodDoesNotBeginIfItsLockWasLostBefore() {
		LockObservation losing = new LockObservation() {

			@Override
			public void acquired(OptionalLong fencingToken, boolean passedOn) {
				PolicyTests.this.provider.loseLast();
			}

		};
		try (AnnotationConfigApplicationContext losingContext = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean(DefaultLockTemplate.class,
					() -> DefaultLockTemplate.builder().provider(this.provider).observer((call) -> losing).build());
			beans.registerBean("handler", Handler.class);
			beans.registerBean(Work.class);
		})) {
			Work lost = losingContext.getBean(Work.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::plain);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.mono().block());
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> lost.future().join())
				.withCauseInstanceOf(LockLostException.class);
			assertThat(lost.runs()).isZero();
		}
	}

	@Test
	void lossInterruptsTheMethodAndNothingAfterIt() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.work.losingAndInterrupted(this.provider))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(InterruptedException.class));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		CompletableFuture<String> future = this.work.losingAndCancelled(this.provider);
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> future.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join())
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void interruptOfSomebodyElseSurvivesALoss() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.work.losingAndCancelledLater(this.provider));
		assertThat(Thread.interrupted()).as("while the method cleaned up").isTrue();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.work.losingAfterACancellation(this.provider));
		assertThat(Thread.interrupted()).as("before the loss").isTrue();
	}

	@Test
	void keyIsKeptForItsMinimumTime() {
		this.work.brief();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.work.brief());
		assertThat(this.provider.leases()).containsExactly(Duration.ofSeconds(20));
	}

	@Test
	void cancelledFutureLeavesTheQueueOrReleasesItsLock() {
		CompletableFuture<String> running = this.work.pendingFuture();
		io.distributedlock.test.patience.Patience.await().until(() -> this.work.pending() != null);
		CompletableFuture<String> waiting = this.work.pendingFuture();
		waiting.cancel(true);
		running.cancel(true);
		io.distributedlock.test.patience.Patience.await().until(() -> this.provider.events().size() == 2);
		assertThat(this.work.pending()).isCancelled();
		assertThat(this.provider.events()).containsExactly("acquire t:Work.pendingFuture",
				"release t:Work.pendingFuture");
	}

	@Test
	void mistakesInPoliciesDoNotStart() {
		assertThatStartFails(SkippedPrimitive.class, "SkippedPrimitive.run()", "onContention = \"SKIP\"", "int",
				"fallback");
		assertThatStartFails(NoFallback.class, "fallback = \"other\"", "[String]", "LockNotAcquiredException");
		assertThatStartFails(WrongFallback.class, "fallback = \"other\"", "returns Integer", "String");
		assertThatStartFails(NoHandler.class, "handler = \"nobody\"", "LockContentionHandler");
		assertThatStartFails(TwoPolicies.class, "exclude each other");
		assertThatStartFails(Disagreeing.class, "onLost", "differ in this attribute");
		assertThatStartFails(BadCondition.class, "condition = \"#n >\"", "position");
		assertThatStartFails(NoPermits.class, "permits", "@DistributedSemaphore");
		assertThatStartFails(BadPermits.class, "permits = \"many\"", "number");
		assertThatStartFails(HeldTooLong.class, "60s", "30s");
		assertThatStartFails(NoSemaphores.class, "SEMAPHORE", "recording");
	}

	private void assertThatStartFails(Class<?> type, String... fragments) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, type).close())
			.satisfies((ex) -> {
				Throwable failure = (ex instanceof BeanCreationException) ? ex.getCause() : ex;
				assertThat(failure).isInstanceOf(InvalidLockOperationException.class);
				assertThat(failure.getMessage()).contains(fragments);
			});
	}

	static class Handler implements LockContentionHandler {

		@Override
		public Object handle(org.aopalliance.intercept.MethodInvocation call, LockNotAcquiredException contention) {
			return "handled " + call.getMethod().getName() + " " + contention.getKey();
		}

	}

	static class Work {

		private int runs;

		private volatile CompletableFuture<String> pending;

		// fields of the proxy are not those of its target, so these are methods
		int runs() {
			return this.runs;
		}

		CompletableFuture<String> pending() {
			return this.pending;
		}

		@DistributedLock(name = "all", key = "#ids")
		public void all(List<String> ids) {
		}

		@DistributedLock("#ids")
		public void array(String... ids) {
		}

		@DistributedLock(name = "account", key = "#from")
		@DistributedLock(name = "account", key = "#to")
		public int transfer(String from, String to) {
			return LockContext.current().parts().size();
		}

		@DistributedLock(condition = "#amount > 100")
		public void onlyLarge(int amount) {
		}

		@DistributedLock(condition = "#text")
		public void oddCondition(String text) {
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public void skipVoid() {
			this.runs++;
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public @Nullable String skipObject() {
			this.runs++;
			return "ran";
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public Optional<String> skipOptional() {
			this.runs++;
			return Optional.of("ran");
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public OptionalInt skipOptionalInt() {
			return OptionalInt.of(1);
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public OptionalLong skipOptionalLong() {
			return OptionalLong.of(1);
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public OptionalDouble skipOptionalDouble() {
			return OptionalDouble.of(1);
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public CompletableFuture<OptionalLong> skipFutureOfOptionalLong() {
			return CompletableFuture.completedFuture(OptionalLong.of(1));
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public CompletableFuture<String> skipFuture() {
			this.runs++;
			return CompletableFuture.completedFuture("ran");
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public CompletableFuture<Optional<String>> skipFutureOfOptional() {
			this.runs++;
			return CompletableFuture.completedFuture(Optional.of("ran"));
		}

		@DistributedLock(onContention = OnContention.SKIP)
		public void waitAndSkip() {
			this.runs++;
		}

		@DistributedLock(onContention = OnContention.SKIP)
		public void skipButFail() {
			this.runs++;
			throw new LockNotAcquiredException("inner", "p", LockNotAcquiredException.Reason.CONTENDED, Duration.ZERO,
					"inner", null);
		}

		@ScheduledLock(holdAtLeast = "20s")
		public void scheduled() {
			this.runs++;
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "instead")
		public String withFallback(String id, int number) {
			return "ran";
		}

		@SuppressWarnings("unused")
		private String instead(String id, int number) {
			return "instead of " + id + " " + number;
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "explained")
		public CompletableFuture<String> withExplainedFallback(String id) {
			return CompletableFuture.completedFuture("ran");
		}

		CompletableFuture<String> explained(String id, LockNotAcquiredException contention) {
			return CompletableFuture.completedFuture(contention.getMessage());
		}

		@DistributedLock(waitTime = "0", fallback = "failing")
		public void withFailingFallback() {
		}

		void failing() {
			throw new IllegalStateException("fallback");
		}

		@DistributedLock(key = "#id", waitTime = "0", handler = "handler")
		public String withHandler(String id) {
			return "ran";
		}

		@DistributedLock(waitTime = "0", onUnavailable = OnUnavailable.PROCEED)
		public String proceeding(@Nullable LockHandle handle) {
			return (handle != null) ? "with " + handle.key() : "without";
		}

		@DistributedLock("#id")
		public String withHandle(String id, @Nullable LockHandle handle) {
			assertThat(handle).isSameAs(LockContext.current());
			return handle.key();
		}

		@DistributedLock("#id")
		public CompletableFuture<String> futureWithHandle(String id, @Nullable LockHandle handle) {
			assertThat(handle).isSameAs(LockContext.current());
			return CompletableFuture.completedFuture(handle.key());
		}

		@DistributedLock
		public String losing(RecordingProvider provider) {
			provider.loseLast();
			assertThat(LockContext.current().isValid()).isFalse();
			return "result";
		}

		@DistributedLock(onLost = OnLost.THROW)
		public String losingAndThrowing(RecordingProvider provider) {
			this.runs++;
			provider.loseLast();
			return "result";
		}

		@DistributedLock
		public void plain() {
			this.runs++;
		}

		@DistributedLock
		public Mono<Void> mono() {
			return Mono.fromRunnable(() -> this.runs++);
		}

		@DistributedLock
		public CompletableFuture<Void> future() {
			this.runs++;
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock(onLost = OnLost.THROW)
		public CompletableFuture<String> losingFuture(RecordingProvider provider) {
			provider.loseLast();
			return CompletableFuture.completedFuture("result");
		}

		@DistributedLock(onLost = OnLost.INTERRUPT)
		public void losingAndInterrupted(RecordingProvider provider) throws InterruptedException {
			provider.loseLast();
			new CountDownLatch(1).await();
		}

		@DistributedLock(onLost = OnLost.INTERRUPT)
		public void losingAndCancelledLater(RecordingProvider provider) throws InterruptedException {
			provider.loseLast();
			try {
				new CountDownLatch(1).await();
			}
			finally {
				Thread.currentThread().interrupt();
			}
		}

		@DistributedLock(onLost = OnLost.INTERRUPT)
		public void losingAfterACancellation(RecordingProvider provider) {
			Thread.currentThread().interrupt();
			provider.loseLast();
			// a wait would end by the interrupt, and clear it
			long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
			while (System.nanoTime() - until < 0) {
				Thread.onSpinWait();
			}
		}

		@DistributedLock(onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> losingAndCancelled(RecordingProvider provider) {
			provider.loseLast();
			return new CompletableFuture<>();
		}

		@DistributedLock(waitTime = "0", holdAtLeast = "20s", leaseTime = "20s")
		public void brief() {
		}

		@DistributedLock
		public CompletableFuture<String> pendingFuture() {
			this.pending = new CompletableFuture<>();
			return this.pending;
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(onContention = OnContention.SKIP)
		public int run() {
			return 1;
		}

	}

	static class NoFallback {

		@DistributedLock(fallback = "other")
		public String run(String id) {
			return id;
		}

	}

	static class WrongFallback {

		@DistributedLock(fallback = "other")
		public String run(String id) {
			return id;
		}

		Integer other(String id) {
			return 1;
		}

	}

	static class NoHandler {

		@DistributedLock(handler = "nobody")
		public void run() {
		}

	}

	static class TwoPolicies {

		@DistributedLock(onContention = OnContention.SKIP, handler = "handler")
		public void run() {
		}

	}

	static class Disagreeing {

		@DistributedLock(key = "#a", onLost = OnLost.THROW)
		@DistributedLock(key = "#b")
		public void run(String a, String b) {
		}

	}

	static class BadCondition {

		@DistributedLock(condition = "#n >")
		public void run(int n) {
		}

	}

	static class NoPermits {

		@DistributedLock(type = io.distributedlock.LockType.SEMAPHORE)
		public void run() {
		}

	}

	static class BadPermits {

		@DistributedSemaphore(permits = "many")
		public void run() {
		}

	}

	static class HeldTooLong {

		@DistributedLock(leaseTime = "30s", holdAtLeast = "1m")
		public void run() {
		}

	}

	static class NoSemaphores {

		@DistributedSemaphore(permits = "3")
		public void run() {
		}

	}

}
