package io.distributedlock.spring;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import io.micrometer.core.annotation.Timed;
import io.micrometer.observation.annotation.Observed;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Each return type, each place of the annotation and each situation of a call: the key is
 * taken while the body works, and free when the result is there.
 */
class MatrixTests {

	private static final LockRequest KEY = LockRequest.of("k").withName("m").withWaitTime(Duration.ZERO);

	private final RecordingProvider provider = new RecordingProvider();

	private final DefaultLockTemplate other = DefaultLockTemplate.builder()
		.provider(this.provider)
		.keyPrefix("t")
		.build();

	private AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@AfterEach
	void close() {
		this.context.close();
		this.other.close();
	}

	static Stream<Arguments> cases() {
		return places().stream()
			.flatMap((place) -> Arrays.stream(Returned.values())
				.flatMap((returned) -> Arrays.stream(Situation.values())
					.map((situation) -> arguments(place, returned, situation))));
	}

	private static Set<Place> places() {
		// methods that are not woven are refused, see WovenTests
		return Contexts.WOVEN ? EnumSet.complementOf(EnumSet.of(Place.INTERFACE, Place.OVERRIDDEN))
				: EnumSet.allOf(Place.class);
	}

	@ParameterizedTest
	@MethodSource("cases")
	void keyIsTakenWhileTheBodyWorksAndFreeAfterIt(Place place, Returned returned, Situation situation)
			throws Exception {
		run(place.type, place != Place.INTERFACE, situation, (bean, work) -> returned.call((Calls) bean, work));
	}

	/**
	 * Call a method of a bean in a situation.
	 */
	void run(Class<?> type, boolean proxyTargetClass, Situation situation, BiConsumer<Object, Supplier<String>> call)
			throws Exception {
		this.context = Contexts.open(this.provider, false, proxyTargetClass,
				(beans) -> beans.registerBean("calls", type));
		Object calls = this.context.getBean("calls");
		AtomicBoolean worked = new AtomicBoolean();
		Supplier<String> work = () -> {
			assertThat(isFree()).as("free while the body works").isFalse();
			worked.set(true);
			if (situation == Situation.LOST) {
				this.provider.loseLast();
			}
			return "done";
		};
		situation.run(this, () -> call.accept(calls, work));
		assertThat(worked).as("the body has run").isTrue();
		if (situation != Situation.LOST) {
			assertThat(isFree()).as("free when the result is there").isTrue();
		}
	}

	/**
	 * Return whether another owner would get the lock, on a thread that has none.
	 */
	private boolean isFree() {
		return CompletableFuture.supplyAsync(() -> {
			Optional<LockHandle> handle = this.other.tryAcquire(KEY);
			handle.ifPresent(LockHandle::close);
			return handle.isPresent();
		}, (task) -> new Thread(task).start()).join();
	}

	/**
	 * The situation that a call is made in.
	 */
	enum Situation {

		PLAIN {
			@Override
			void run(MatrixTests test, Runnable call) {
				call.run();
			}
		},

		IN_A_TRANSACTION {
			@Override
			void run(MatrixTests test, Runnable call) {
				JdbcDataSource dataSource = new JdbcDataSource();
				dataSource.setURL("jdbc:h2:mem:matrix");
				new TransactionTemplate(new DataSourceTransactionManager(dataSource))
					.executeWithoutResult((status) -> call.run());
			}
		},

		RE_ENTERED {
			@Override
			void run(MatrixTests test, Runnable call) {
				test.context.getBean(DefaultLockTemplate.class).execute(KEY, call::run);
			}
		},

		CONTENDED {
			@Override
			void run(MatrixTests test, Runnable call) throws Exception {
				CompletableFuture<Void> called;
				try (LockHandle handle = test.other.acquire(KEY)) {
					int before = test.provider.attempts();
					called = CompletableFuture.runAsync(call, (task) -> new Thread(task).start());
					Patience.await().until(() -> test.provider.attempts() > before);
					assertThat(handle.isValid()).isTrue();
				}
				called.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		},

		LOST {
			@Override
			void run(MatrixTests test, Runnable call) {
				assertThatExceptionOfType(Exception.class).isThrownBy(call::run)
					.satisfies((failure) -> assertThat(
							(failure instanceof CompletionException) ? failure.getCause() : failure)
						.isInstanceOf(LockLostException.class));
			}
		};

		abstract void run(MatrixTests test, Runnable call) throws Exception;

	}

	/**
	 * What a method returns, and how its caller gets the result.
	 */
	enum Returned {

		NOTHING((calls) -> (work) -> {
			calls.nothing("k", work);
			return "done";
		}), TEXT((calls) -> (work) -> calls.text("k", work)),
		OPTIONAL((calls) -> (work) -> calls.optional("k", work).orElseThrow()),
		FUTURE((calls) -> (work) -> calls.future("k", work).join()),
		STAGE((calls) -> (work) -> calls.stage("k", work).toCompletableFuture().join()),
		MONO((calls) -> (work) -> String.valueOf(calls.mono("k", work).block())),
		FLUX((calls) -> (work) -> String.valueOf(calls.flux("k", work).blockLast())),
		SINGLE((calls) -> (work) -> calls.single("k", work).blockingGet()),
		MAYBE((calls) -> (work) -> String.valueOf(calls.maybe("k", work).blockingGet())),
		COMPLETABLE((calls) -> (work) -> {
			calls.completable("k", work).blockingAwait();
			return "done";
		}), FLOWABLE((calls) -> (work) -> calls.flowable("k", work).blockingLast()),
		OBSERVABLE((calls) -> (work) -> calls.observable("k", work).blockingLast());

		@SuppressWarnings("ImmutableEnumChecker")
		private final Function<Calls, Function<Supplier<String>, String>> call;

		Returned(Function<Calls, Function<Supplier<String>, String>> call) {
			this.call = call;
		}

		void call(Calls calls, Supplier<String> work) {
			assertThat(this.call.apply(calls).apply(work)).isEqualTo("done");
		}

	}

	/**
	 * Where the annotation stands.
	 */
	enum Place {

		COMPOSED(OnMethods.class), CLASS(OnClass.class), INTERFACE(OfInterface.class), INHERITED(Inheriting.class),
		OVERRIDDEN(Overriding.class);

		private final Class<? extends Calls> type;

		Place(Class<? extends Calls> type) {
			this.type = type;
		}

	}

	/**
	 * The methods that each bean has.
	 */
	interface Calls {

		void nothing(String id, Supplier<String> work);

		String text(String id, Supplier<String> work);

		Optional<String> optional(String id, Supplier<String> work);

		CompletableFuture<String> future(String id, Supplier<String> work);

		CompletionStage<String> stage(String id, Supplier<String> work);

		Mono<String> mono(String id, Supplier<String> work);

		Flux<String> flux(String id, Supplier<String> work);

		Single<String> single(String id, Supplier<String> work);

		Maybe<String> maybe(String id, Supplier<String> work);

		Completable completable(String id, Supplier<String> work);

		Flowable<String> flowable(String id, Supplier<String> work);

		Observable<String> observable(String id, Supplier<String> work);

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
	@interface Matrix {

	}

	static class Plain implements Calls {

		@Override
		public void nothing(String id, Supplier<String> work) {
			assertThat(work.get()).isEqualTo("done");
		}

		@Override
		public String text(String id, Supplier<String> work) {
			return work.get();
		}

		@Override
		public Optional<String> optional(String id, Supplier<String> work) {
			return Optional.of(work.get());
		}

		@Override
		public CompletableFuture<String> future(String id, Supplier<String> work) {
			return CompletableFuture.supplyAsync(work, (task) -> new Thread(task).start());
		}

		@Override
		public CompletionStage<String> stage(String id, Supplier<String> work) {
			return future(id, work);
		}

		@Override
		public Mono<String> mono(String id, Supplier<String> work) {
			return Mono.fromFuture(() -> CompletableFuture.supplyAsync(work, (task) -> new Thread(task).start()));
		}

		@Override
		public Flux<String> flux(String id, Supplier<String> work) {
			return Flux.concat(Mono.just("first"),
					Mono.fromFuture(() -> CompletableFuture.supplyAsync(work, (task) -> new Thread(task).start())));
		}

		@Override
		public Single<String> single(String id, Supplier<String> work) {
			return Single.fromPublisher(mono(id, work));
		}

		@Override
		public Maybe<String> maybe(String id, Supplier<String> work) {
			return Maybe.fromPublisher(mono(id, work));
		}

		@Override
		public Completable completable(String id, Supplier<String> work) {
			return Completable.fromPublisher(mono(id, work));
		}

		@Override
		public Flowable<String> flowable(String id, Supplier<String> work) {
			return Flowable.fromPublisher(flux(id, work));
		}

		@Override
		public Observable<String> observable(String id, Supplier<String> work) {
			return Observable.fromPublisher(flux(id, work));
		}

	}

	static class OnMethods implements Calls {

		private final Plain plain = new Plain();

		@Override
		@Matrix
		public void nothing(String id, Supplier<String> work) {
			this.plain.nothing(id, work);
		}

		@Override
		@Matrix
		public String text(String id, Supplier<String> work) {
			return this.plain.text(id, work);
		}

		@Override
		@Matrix
		public Optional<String> optional(String id, Supplier<String> work) {
			return this.plain.optional(id, work);
		}

		@Override
		@Matrix
		public CompletableFuture<String> future(String id, Supplier<String> work) {
			return this.plain.future(id, work);
		}

		@Override
		@Matrix
		public CompletionStage<String> stage(String id, Supplier<String> work) {
			return this.plain.stage(id, work);
		}

		@Override
		@Matrix
		public Mono<String> mono(String id, Supplier<String> work) {
			return this.plain.mono(id, work);
		}

		@Override
		@Matrix
		public Flux<String> flux(String id, Supplier<String> work) {
			return this.plain.flux(id, work);
		}

		@Override
		@Matrix
		public Single<String> single(String id, Supplier<String> work) {
			return this.plain.single(id, work);
		}

		@Override
		@Matrix
		public Maybe<String> maybe(String id, Supplier<String> work) {
			return this.plain.maybe(id, work);
		}

		@Override
		@Matrix
		public Completable completable(String id, Supplier<String> work) {
			return this.plain.completable(id, work);
		}

		@Override
		@Matrix
		public Flowable<String> flowable(String id, Supplier<String> work) {
			return this.plain.flowable(id, work);
		}

		@Override
		@Matrix
		public Observable<String> observable(String id, Supplier<String> work) {
			return this.plain.observable(id, work);
		}

	}

	/**
	 * Without annotations of its own.
	 */
	static class Overriding extends OnMethods {

		private final Plain own = new Plain();

		@Override
		public void nothing(String id, Supplier<String> work) {
			this.own.nothing(id, work);
		}

		@Override
		public String text(String id, Supplier<String> work) {
			return this.own.text(id, work);
		}

		@Override
		public Optional<String> optional(String id, Supplier<String> work) {
			return this.own.optional(id, work);
		}

		@Override
		public CompletableFuture<String> future(String id, Supplier<String> work) {
			return this.own.future(id, work);
		}

		@Override
		public CompletionStage<String> stage(String id, Supplier<String> work) {
			return this.own.stage(id, work);
		}

		@Override
		public Mono<String> mono(String id, Supplier<String> work) {
			return this.own.mono(id, work);
		}

		@Override
		public Flux<String> flux(String id, Supplier<String> work) {
			return this.own.flux(id, work);
		}

		@Override
		public Single<String> single(String id, Supplier<String> work) {
			return this.own.single(id, work);
		}

		@Override
		public Maybe<String> maybe(String id, Supplier<String> work) {
			return this.own.maybe(id, work);
		}

		@Override
		public Completable completable(String id, Supplier<String> work) {
			return this.own.completable(id, work);
		}

		@Override
		public Flowable<String> flowable(String id, Supplier<String> work) {
			return this.own.flowable(id, work);
		}

		@Override
		public Observable<String> observable(String id, Supplier<String> work) {
			return this.own.observable(id, work);
		}

	}

	/**
	 * The other annotations have no effect without their advice, see LibraryAdviceTests.
	 * Spring itself does not cache streams well: the caller of a Flowable gets a Flux,
	 * and one of a Flux that is tried again waits without end.
	 */
	@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
	@Retry(name = "m")
	@CircuitBreaker(name = "m")
	@RateLimiter(name = "m")
	@TimeLimiter(name = "m")
	@Bulkhead(name = "m")
	@Timed("m")
	@Observed(name = "m")
	@Retryable(maxRetries = 5, delay = 1)
	@Cacheable(cacheNames = "m", condition = "!{'flux', 'flowable', 'observable'}.contains(#root.methodName)")
	@Validated
	@PreAuthorize("hasRole('ADMIN')")
	static class OnClass implements Calls {

		private final Plain plain = new Plain();

		@Override
		public void nothing(String id, Supplier<String> work) {
			this.plain.nothing(id, work);
		}

		@Override
		public String text(String id, Supplier<String> work) {
			return this.plain.text(id, work);
		}

		@Override
		public Optional<String> optional(String id, Supplier<String> work) {
			return this.plain.optional(id, work);
		}

		@Override
		public CompletableFuture<String> future(String id, Supplier<String> work) {
			return this.plain.future(id, work);
		}

		@Override
		public CompletionStage<String> stage(String id, Supplier<String> work) {
			return this.plain.stage(id, work);
		}

		@Override
		public Mono<String> mono(String id, Supplier<String> work) {
			return this.plain.mono(id, work);
		}

		@Override
		public Flux<String> flux(String id, Supplier<String> work) {
			return this.plain.flux(id, work);
		}

		@Override
		public Single<String> single(String id, Supplier<String> work) {
			return this.plain.single(id, work);
		}

		@Override
		public Maybe<String> maybe(String id, Supplier<String> work) {
			return this.plain.maybe(id, work);
		}

		@Override
		public Completable completable(String id, Supplier<String> work) {
			return this.plain.completable(id, work);
		}

		@Override
		public Flowable<String> flowable(String id, Supplier<String> work) {
			return this.plain.flowable(id, work);
		}

		@Override
		public Observable<String> observable(String id, Supplier<String> work) {
			return this.plain.observable(id, work);
		}

	}

	@Matrix
	interface Annotated extends Calls {

	}

	static class OfInterface extends Plain implements Annotated {

	}

	/**
	 * Its return types are variables of the base class that has the annotations.
	 *
	 * @param <T> of text
	 * @param <O> of the optional
	 * @param <F> of the future
	 * @param <S> of the stage
	 * @param <M> of the mono
	 * @param <X> of the flux
	 * @param <I> of the single
	 * @param <Y> of the maybe
	 * @param <C> of the completable
	 * @param <W> of the flowable
	 * @param <B> of the observable
	 */
	abstract static class Generic<T, O, F, S, M, X, I, Y, C, W, B> {

		final Plain plain = new Plain();

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		public void nothing(String id, Supplier<String> work) {
			this.plain.nothing(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public T text(String id, Supplier<String> work) {
			return (T) this.plain.text(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public O optional(String id, Supplier<String> work) {
			return (O) this.plain.optional(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public F future(String id, Supplier<String> work) {
			return (F) this.plain.future(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public S stage(String id, Supplier<String> work) {
			return (S) this.plain.stage(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public M mono(String id, Supplier<String> work) {
			return (M) this.plain.mono(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public X flux(String id, Supplier<String> work) {
			return (X) this.plain.flux(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public I single(String id, Supplier<String> work) {
			return (I) this.plain.single(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public Y maybe(String id, Supplier<String> work) {
			return (Y) this.plain.maybe(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public C completable(String id, Supplier<String> work) {
			return (C) this.plain.completable(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public W flowable(String id, Supplier<String> work) {
			return (W) this.plain.flowable(id, work);
		}

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@SuppressWarnings("unchecked")
		public B observable(String id, Supplier<String> work) {
			return (B) this.plain.observable(id, work);
		}

	}

	static class Inheriting extends
			Generic<String, Optional<String>, CompletableFuture<String>, CompletionStage<String>, Mono<String>, Flux<String>, Single<String>, Maybe<String>, Completable, Flowable<String>, Observable<String>>
			implements Calls {

	}

}
