package io.distributedlock.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockObservation;
import io.distributedlock.test.patience.Patience;
import io.micrometer.context.ContextRegistry;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.adapter.JdkFlowAdapter;
import reactor.blockhound.BlockHound;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Reactive methods hold their locks while a subscription lasts. Everything is subscribed
 * on threads that must not block, and would be caught at it.
 */
class ReactiveTests {

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Streams.class);

	private final Streams streams = this.context.getBean(Streams.class);

	@BeforeAll
	static void watchForBlockingCalls() {
		BlockHound.install();
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void blockingCallsAreDetected() {
		LockTemplate template = this.context.getBean(LockTemplate.class);
		try (LockHandle other = template.acquire("k")) {
			// on a busy machine a short wait is over before the thread waits
			Mono<Void> blocking = Mono
				.fromRunnable(() -> template.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT)).close());
			assertThatExceptionOfType(Throwable.class).isThrownBy(() -> onEventLoop(blocking).block())
				.satisfies((ex) -> assertThat(ex).hasStackTraceContaining("Blocking call!"));
			assertThat(other.isValid()).isTrue();
		}
	}

	@Test
	void eachSubscriptionTakesTheLockAndNothingHappensBefore() {
		Mono<String> mono = this.streams.one("1");
		assertThat(this.provider.events()).isEmpty();
		assertThat(onEventLoop(mono).block()).isEqualTo("one 1");
		assertThat(onEventLoop(mono).block()).isEqualTo("one 1");
		assertThat(this.provider.events()).containsExactly("acquire t:Streams.one:1", "release t:Streams.one:1",
				"acquire t:Streams.one:1", "release t:Streams.one:1");
	}

	/**
	 * There a web server keeps the observation of a request, which is the parent of those
	 * of its locks.
	 */
	@Test
	void observerFindsOnItsThreadWhatIsInTheReactorContext() {
		ThreadLocal<String> request = new ThreadLocal<>();
		List<String> seen = new CopyOnWriteArrayList<>();
		ContextRegistry.getInstance().registerThreadLocalAccessor("request", request);
		try (AnnotationConfigApplicationContext observed = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean(Streams.class);
			beans.registerBean(DefaultLockTemplate.class,
					() -> DefaultLockTemplate.builder().provider(this.provider).observer((call) -> {
						seen.add(String.valueOf(request.get()));
						return new LockObservation() {
						};
					}).build());
		})) {
			Streams observedStreams = observed.getBean(Streams.class);
			observedStreams.one("1").contextWrite(Context.of("request", "mono")).block();
			observedStreams.many("1").contextWrite(Context.of("request", "flux")).blockLast();
			assertThat(seen).containsExactly("mono", "flux");
			assertThat(request.get()).isNull();
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("request");
		}
	}

	@Test
	void resultComesAfterTheRelease() {
		onEventLoop(this.streams.one("1")).doOnNext((value) -> this.provider.record("value")).block();
		assertThat(this.provider.events()).endsWith("release t:Streams.one:1", "value");
	}

	@Test
	void fluxHoldsTheLockToItsEnd() {
		StepVerifier.create(onEventLoop(this.streams.many("1").doOnNext((value) -> this.provider.record(value))))
			.expectNext("a", "b")
			.verifyComplete();
		assertThat(this.provider.events()).containsExactly("acquire t:Streams.many:1", "a", "b",
				"release t:Streams.many:1");
	}

	@Test
	void blockingAndFutureMethodsInTheChainReenter() {
		assertThat(this.streams.outerOfBlocking("1", this.streams).block()).isEqualTo("blocking 1");
		assertThat(this.streams.outerOfFuture("1", this.streams).block()).isEqualTo("future 1");
		assertThat(this.provider.keys()).hasSize(2);
	}

	@Test
	void subscriberIsOutsideOfTheLock() {
		List<Boolean> found = this.streams.many("1")
			.map((value) -> LockContext.find().isPresent())
			.collectList()
			.blockOptional()
			.orElseThrow();
		assertThat(found).containsExactly(false, false);
	}

	@Test
	void errorReleasesAndArrivesUnchanged() {
		StepVerifier.create(onEventLoop(this.streams.failing("1")))
			.verifyErrorSatisfies(
					(ex) -> assertThat(ex).isInstanceOf(IllegalStateException.class).hasMessage("inside"));
		StepVerifier.create(onEventLoop(this.streams.throwing("1"))).verifyErrorMessage("at assembly");
		assertThat(this.provider.events()).hasSize(4);
	}

	@Test
	void cancelReleases() {
		Disposable subscription = onEventLoop(this.streams.never("1")).subscribe();
		Patience.await().until(() -> this.provider.events().size() == 1);
		subscription.dispose();
		Patience.await().until(() -> this.provider.events().size() == 2);
		assertThat(onEventLoop(this.streams.many("1")).next().block()).isEqualTo("a");
		Patience.await().until(() -> this.provider.events().size() == 4);
	}

	@Test
	void cancelWhileWaitingLeavesNothing() {
		Disposable first = onEventLoop(this.streams.never("1")).subscribe();
		Patience.await().until(() -> this.provider.keys().contains("t:Streams.never:1"));
		for (int i = 0; i < 50; i++) {
			onEventLoop(this.streams.never("1")).subscribe().dispose();
		}
		first.dispose();
		assertThat(onEventLoop(this.streams.sameKey("1")).block(Patience.LIMIT)).isEqualTo("free");
		Patience.await()
			.until(() -> this.provider.events().stream().filter((event) -> event.startsWith("acquire")).count()
					* 2 == this.provider.events().size());
	}

	@Test
	void contentionAndOutageAreSignals() {
		this.provider.contended(true);
		StepVerifier.create(onEventLoop(this.streams.one("1"))).verifyError(LockNotAcquiredException.class);
		assertThat(onEventLoop(this.streams.skipped()).hasElement().block()).isFalse();
		assertThat(onEventLoop(this.streams.skippedFlux()).collectList().block()).isEmpty();
		assertThat(onEventLoop(this.streams.withFallback("x")).block()).isEqualTo("instead of x");
		this.provider.contended(false);
		this.provider.down(true);
		StepVerifier.create(onEventLoop(this.streams.one("1"))).verifyError(LockUnavailableException.class);
		StepVerifier.create(onEventLoop(this.streams.skipped())).verifyError(LockUnavailableException.class);
		assertThat(onEventLoop(this.streams.proceeding(null)).block()).isEqualTo("without");
	}

	@Test
	void innerCallOfTheSameChainReenters() {
		assertThat(onEventLoop(this.streams.outer("1", this.streams)).block(Patience.LIMIT))
			.isEqualTo("inner 1 t:shared:1");
		assertThat(this.provider.events()).containsExactly("acquire t:shared:1", "release t:shared:1");
	}

	@Test
	void otherChainDoesNotReenter() {
		Sinks.Empty<String> sink = Sinks.empty();
		Disposable holder = onEventLoop(this.streams.until("1", sink.asMono())).subscribe();
		Patience.await().until(() -> this.provider.events().size() == 1);
		StepVerifier.create(onEventLoop(this.streams.impatient("1"))).verifyError(LockNotAcquiredException.class);
		sink.tryEmitEmpty();
		Patience.await().until(holder::isDisposed);
	}

	@Test
	void handleIsPassedToEachSubscription() {
		Mono<String> mono = this.streams.withHandle("1", null);
		assertThat(RecordingProvider.shortened(onEventLoop(mono).block())).isEqualTo("t:Streams.withHandle:1 true");
		assertThat(RecordingProvider.shortened(onEventLoop(mono).block())).isEqualTo("t:Streams.withHandle:1 true");
	}

	@Test
	void lossIsReportedThrownOrCancels() {
		assertThat(onEventLoop(this.streams.losing(this.provider)).block()).isEqualTo("result");
		StepVerifier.create(onEventLoop(this.streams.losingAndThrowing(this.provider)))
			.verifyError(LockLostException.class);
		StepVerifier.create(onEventLoop(this.streams.losingAndCancelled(this.provider)))
			.verifyError(LockLostException.class);
		assertThat(this.streams.cancelled()).isEqualTo(1);
	}

	@Test
	void everyTypeThatSpringAdaptsIsHeldToItsEnd() {
		assertThat(this.streams.single("1").blockingGet()).isEqualTo("single");
		assertThat(this.streams.maybe("1").blockingGet()).isEqualTo("maybe");
		this.streams.completable("1").blockingAwait();
		assertThat(this.streams.flowable("1").toList().blockingGet()).containsExactly("a", "b");
		assertThat(Flux.from(this.streams.publisher("1")).collectList().block()).containsExactly("a", "b");
		assertThat(JdkFlowAdapter.flowPublisherToFlux(this.streams.publisherOfTheJdk("1")).collectList().block())
			.containsExactly("a", "b");
		assertThat(this.provider.events()).hasSize(12);
		for (int i = 0; i < 12; i += 2) {
			String key = this.provider.events().get(i).substring("acquire ".length());
			assertThat(this.provider.events().get(i + 1)).isEqualTo("release " + key);
		}
	}

	@Test
	void typeWithoutAnEmptyValueCannotBeSkipped() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, SkippedSingle.class).close())
			.withMessageContaining("Single");
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, Parallel.class).close())
			.withMessageContaining("ParallelFlux");
	}

	@Test
	void futureDoesNotBlockTheEventLoopEither() {
		Mono<String> started = Mono.fromFuture(() -> this.streams.future("1"));
		assertThat(onEventLoop(started).block()).isEqualTo("future");
		this.provider.down(true);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> onEventLoop(started).block())
			.satisfiesAnyOf((ex) -> assertThat(ex).isInstanceOf(LockUnavailableException.class),
					(ex) -> assertThat(ex).isInstanceOf(CompletionException.class));
	}

	private static <T> Mono<T> onEventLoop(Mono<T> mono) {
		return mono.subscribeOn(Schedulers.parallel());
	}

	private static <T> Flux<T> onEventLoop(Flux<T> flux) {
		return flux.subscribeOn(Schedulers.parallel());
	}

	static class Streams {

		private final AtomicInteger cancelled = new AtomicInteger();

		int cancelled() {
			return this.cancelled.get();
		}

		@DistributedLock(key = "#id", waitTime = "100ms")
		public Mono<String> one(String id) {
			return Mono.fromSupplier(() -> "one " + id);
		}

		@DistributedLock("#id")
		public Flux<String> many(String id) {
			return Flux.just("a", "b");
		}

		@DistributedLock("#id")
		public Mono<String> failing(String id) {
			return Mono.error(new IllegalStateException("inside"));
		}

		@DistributedLock("#id")
		public Mono<String> throwing(String id) {
			throw new IllegalStateException("at assembly");
		}

		@DistributedLock("#id")
		public Mono<String> never(String id) {
			return Mono.never();
		}

		@DistributedLock(name = "Streams.never", key = "#id", waitTime = "1m")
		public Mono<String> sameKey(String id) {
			return Mono.just("free");
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public Mono<String> skipped() {
			return Mono.just("ran");
		}

		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public Flux<String> skippedFlux() {
			return Flux.just("ran");
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "instead")
		public Mono<String> withFallback(String id) {
			return Mono.just("ran");
		}

		Mono<String> instead(String id) {
			return Mono.just("instead of " + id);
		}

		@DistributedLock(waitTime = "0", onUnavailable = OnUnavailable.PROCEED)
		public Mono<String> proceeding(@Nullable LockHandle handle) {
			return Mono.just((handle != null) ? "with" : "without");
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		public Mono<String> outer(String id, Streams self) {
			return Mono.delay(Duration.ofMillis(5)).then(self.inner(id));
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		public Mono<String> inner(String id) {
			return Mono.deferContextual((context) -> Mono.just("inner " + id + " "
					+ context.get(LockContext.class).innermost().map(LockHandle::key).orElseThrow()));
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		public Mono<String> outerOfBlocking(String id, Streams self) {
			return Mono.just(id).map(self::blocking);
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		public Mono<String> outerOfFuture(String id, Streams self) {
			return Mono.just(id).flatMap((each) -> Mono.fromFuture(self.futureOf(each)));
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		public String blocking(String id) {
			return "blocking " + id;
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		public CompletableFuture<String> futureOf(String id) {
			return CompletableFuture.completedFuture("future " + id);
		}

		@DistributedLock(name = "shared", key = "#id")
		public Mono<String> until(String id, Mono<String> end) {
			return end;
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		public Mono<String> impatient(String id) {
			return Mono.just("ran");
		}

		@DistributedLock("#id")
		public Mono<String> withHandle(String id, @Nullable LockHandle handle) {
			return Mono.fromSupplier(() -> handle.key() + " " + handle.isValid());
		}

		@DistributedLock
		public Mono<String> losing(RecordingProvider provider) {
			return Mono.fromRunnable(provider::loseLast).thenReturn("result");
		}

		@DistributedLock(onLost = OnLost.THROW)
		public Mono<String> losingAndThrowing(RecordingProvider provider) {
			return Mono.fromRunnable(provider::loseLast).thenReturn("result");
		}

		@DistributedLock(onLost = OnLost.INTERRUPT)
		public Mono<String> losingAndCancelled(RecordingProvider provider) {
			return Mono.fromRunnable(provider::loseLast)
				.then(Mono.<String>never())
				.doOnCancel(this.cancelled::incrementAndGet);
		}

		@DistributedLock("#id")
		public Single<String> single(String id) {
			return Single.just("single");
		}

		@DistributedLock("#id")
		public Maybe<String> maybe(String id) {
			return Maybe.just("maybe");
		}

		@DistributedLock("#id")
		public Completable completable(String id) {
			return Completable.complete();
		}

		@DistributedLock("#id")
		public Flowable<String> flowable(String id) {
			return Flowable.just("a", "b");
		}

		@DistributedLock("#id")
		public org.reactivestreams.Publisher<String> publisher(String id) {
			return Flux.just("a", "b");
		}

		@DistributedLock("#id")
		public Flow.Publisher<String> publisherOfTheJdk(String id) {
			return JdkFlowAdapter.publisherToFlowPublisher(Flux.just("a", "b"));
		}

		@DistributedLock(key = "#id", waitTime = "100ms")
		public java.util.concurrent.CompletableFuture<String> future(String id) {
			return java.util.concurrent.CompletableFuture.completedFuture("future");
		}

	}

	static class SkippedSingle {

		@DistributedLock(onContention = OnContention.SKIP)
		public Single<String> run() {
			return Single.just("ran");
		}

	}

	static class Parallel {

		@DistributedLock
		public reactor.core.publisher.ParallelFlux<String> run() {
			return Flux.just("ran").parallel();
		}

	}

}
