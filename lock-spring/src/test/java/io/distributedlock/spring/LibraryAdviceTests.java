package io.distributedlock.spring;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.patience.Patience;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.github.resilience4j.retry.RetryRegistry;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.springboot.bulkhead.autoconfigure.BulkheadAutoConfiguration;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.ratelimiter.autoconfigure.RateLimiterAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.springboot.timelimiter.autoconfigure.TimeLimiterAutoConfiguration;
import io.github.resilience4j.timelimiter.TimeLimiterRegistry;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import io.micrometer.core.annotation.Timed;
import io.micrometer.core.aop.TimedAspect;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.annotation.Observed;
import io.micrometer.observation.aop.ObservedAspect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The aspects of Resilience4j and of Micrometer beside the lock: the method runs once,
 * under its lock, and each aspect sees one call, whatever the order of the advice and the
 * shape of the bean.
 */
@Tag("proxies")
class LibraryAdviceTests {

	private static final EnumSet<MatrixTests.Returned> ASYNCHRONOUS = EnumSet.of(MatrixTests.Returned.FUTURE,
			MatrixTests.Returned.STAGE, MatrixTests.Returned.MONO, MatrixTests.Returned.FLUX);

	private static final EnumSet<MatrixTests.Returned> RXJAVA = EnumSet.of(MatrixTests.Returned.SINGLE,
			MatrixTests.Returned.MAYBE, MatrixTests.Returned.COMPLETABLE, MatrixTests.Returned.FLOWABLE,
			MatrixTests.Returned.OBSERVABLE);

	private final RecordingProvider provider = new RecordingProvider();

	/**
	 * Each context is made for all types that it fits: the proxies of one take a second.
	 */
	static Stream<Arguments> contexts() {
		return orders().boxed().flatMap((order) -> Stream.of(arguments(order, true), arguments(order, false)));
	}

	static IntStream orders() {
		return IntStream.of(Ordered.HIGHEST_PRECEDENCE, DistributedLockBeanPostProcessor.DEFAULT_ORDER,
				Ordered.LOWEST_PRECEDENCE);
	}

	@ParameterizedTest
	@MethodSource("contexts")
	void methodRunsOnceUnderItsLockAndEachAspectSeesIt(int order, boolean asynchronous) {
		try (AnnotationConfigApplicationContext context = open(order, asynchronous,
				(beans) -> beans.registerBean("calls", MatrixTests.OnClass.class))) {
			assertThatEachRunsOnce(context, asynchronous);
		}
	}

	/**
	 * Resilience4j 2.4 has no retries for types of RxJava 3.
	 */
	@ParameterizedTest
	@MethodSource("orders")
	void eachAttemptOfARetryRunsUnderTheLock(int order) {
		try (AnnotationConfigApplicationContext context = open(order, false,
				(beans) -> beans.registerBean("calls", MatrixTests.OnClass.class))) {
			for (MatrixTests.Returned returned : EnumSet.complementOf(RXJAVA)) {
				AtomicInteger attempts = new AtomicInteger();
				this.provider.events().clear();
				returned.call(context.getBean(MatrixTests.Calls.class), () -> {
					this.provider.record("work");
					if (attempts.incrementAndGet() < 3) {
						throw new IllegalStateException("not yet");
					}
					return "done";
				});
				assertThat(String.join(" ", this.provider.events())).as("%s", returned)
					.matches("(acquire t:m:k( work)+ release t:m:k ?)+");
				assertThat(attempts).as("%s", returned).hasValue(3);
			}
		}
	}

	/**
	 * By default its aspect is inside of the lock, and runs the method on another thread.
	 */
	@ParameterizedTest
	@MethodSource("orders")
	void threadPoolBulkhead(int order) {
		try (AnnotationConfigApplicationContext context = open(order, true,
				(beans) -> beans.registerBean(Pooled.class))) {
			assertThat(context.getBean(Pooled.class).run("1")).succeedsWithin(Patience.LIMIT).isEqualTo("t:pooled:1");
			Patience.await()
				.untilAsserted(() -> assertThat(this.provider.events()).containsExactly("acquire t:pooled:1",
						"release t:pooled:1"));
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void scopedProxyTakesTheLockOnce(boolean asynchronous) {
		try (AnnotationConfigApplicationContext context = open(DistributedLockBeanPostProcessor.DEFAULT_ORDER,
				asynchronous, (beans) -> {
					beans.getBeanFactory().registerScope("thread", new SimpleThreadScope());
					beans.register(ScopedConfig.class);
				})) {
			assertThatEachRunsOnce(context, asynchronous);
		}
	}

	@ParameterizedTest
	@MethodSource("orders")
	void beanThatIsInjectedIntoItselfAndMethodOfAConfiguration(int order) {
		try (AnnotationConfigApplicationContext context = open(order, true, (beans) -> {
			beans.registerBean(Own.class);
			beans.register(LockedConfig.class);
		})) {
			Own own = context.getBean(Own.class);
			assertThat(own.run("1").join()).isEqualTo("t:own:1");
			assertThat(own.runSelf("2").join()).isEqualTo("t:own:2");
			LockedConfig config = context.getBean(LockedConfig.class);
			assertThat(config.run("3")).isEqualTo("t:config:3");
			assertThat(config.made()).isSameAs(context.getBean("made"));
			assertThat(this.provider.events()).containsExactly("acquire t:own:1", "release t:own:1", "acquire t:own:2",
					"release t:own:2", "acquire t:config:3", "release t:config:3");
		}
	}

	@ParameterizedTest
	@MethodSource("orders")
	void functions(int order) {
		try (AnnotationConfigApplicationContext context = open(order, false,
				(beans) -> beans.register(Functions.class))) {
			for (String name : List.of("onMethod", "onClass", "lambda", "typed")) {
				@SuppressWarnings("unchecked")
				Function<String, String> function = context.getBean(name, Function.class);
				assertThat(function.apply("1")).as(name).isEqualTo("t:" + name + ":1");
			}
			assertThat(this.provider.events()).hasSize(8);
			assertThat(context.getBean("onClass", OnClass.class).andThen(String::length)).isNotNull();
			assertThat(this.provider.events()).as("andThen takes no lock").hasSize(8);
		}
	}

	private AnnotationConfigApplicationContext open(int order, boolean asynchronous,
			Consumer<AnnotationConfigApplicationContext> beans) {
		return Contexts.open(this.provider, false, true, (context) -> {
			context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("resilience4j", Map.of("resilience4j.retry.instances.m.wait-duration",
						"1ms", "resilience4j.timelimiter.instances.m.timeout-duration", Patience.LIMIT)));
			context.register(Aspects.class);
			if (asynchronous) {
				// it refuses other types
				context.register(TimeLimiterAutoConfiguration.class);
			}
			context.addBeanFactoryPostProcessor((factory) -> {
				BeanDefinition definition = factory
					.getBeanDefinition(factory.getBeanNamesForType(DistributedLockBeanPostProcessor.class)[0]);
				definition.getPropertyValues().add("adviceOrder", order);
			});
			beans.accept(context);
		});
	}

	private void assertThatEachRunsOnce(AnnotationConfigApplicationContext context, boolean asynchronous) {
		for (MatrixTests.Returned returned : asynchronous ? ASYNCHRONOUS : EnumSet.complementOf(ASYNCHRONOUS)) {
			this.provider.events().clear();
			Map<String, AtomicInteger> seen = seen(context);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			meters.clear();
			returned.call(context.getBean("calls", MatrixTests.Calls.class), () -> {
				this.provider.record("work");
				return "done";
			});
			assertThat(this.provider.events()).as("%s", returned)
				.containsExactly("acquire t:m:k", "work", "release t:m:k");
			List<String> advice = new ArrayList<>(
					List.of("bulkhead", "circuit breaker", "rate limiter", "observation"));
			if (asynchronous) {
				advice.add("time limiter");
			}
			Patience.await().untilAsserted(() -> {
				assertThat(seen).as("%s", returned)
					.containsOnlyKeys(advice)
					.allSatisfy((each, count) -> assertThat(count).as(each).hasValue(1));
				assertThat(meters.find("m").timer()).isNotNull()
					.satisfies((timer) -> assertThat(timer.count()).isOne());
			});
		}
	}

	/**
	 * Return how many calls each aspect has seen.
	 */
	private static Map<String, AtomicInteger> seen(AnnotationConfigApplicationContext context) {
		Map<String, AtomicInteger> seen = new ConcurrentHashMap<>();
		context.getBean(RetryRegistry.class).retry("m").getEventPublisher().onEvent((event) -> count(seen, "retries"));
		context.getBean(BulkheadRegistry.class)
			.bulkhead("m")
			.getEventPublisher()
			.onCallFinished((event) -> count(seen, "bulkhead"));
		context.getBean(CircuitBreakerRegistry.class)
			.circuitBreaker("m")
			.getEventPublisher()
			.onSuccess((event) -> count(seen, "circuit breaker"));
		context.getBean(RateLimiterRegistry.class)
			.rateLimiter("m")
			.getEventPublisher()
			.onSuccess((event) -> count(seen, "rate limiter"));
		context.getBeanProvider(TimeLimiterRegistry.class)
			.ifAvailable((registry) -> registry.timeLimiter("m")
				.getEventPublisher()
				// of a Flux it tells each element
				.onSuccess((event) -> seen.put("time limiter", new AtomicInteger(1))));
		context.getBean(ObservationRegistry.class).observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public boolean supportsContext(Observation.Context observed) {
				return true;
			}

			@Override
			public void onStop(Observation.Context observed) {
				count(seen, "observation");
			}

		});
		return seen;
	}

	private static void count(Map<String, AtomicInteger> seen, String advice) {
		seen.computeIfAbsent(advice, (added) -> new AtomicInteger()).incrementAndGet();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	@Import({ RetryAutoConfiguration.class, CircuitBreakerAutoConfiguration.class, RateLimiterAutoConfiguration.class,
			BulkheadAutoConfiguration.class })
	static class Aspects {

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		TimedAspect timedAspect(MeterRegistry registry) {
			return new TimedAspect(registry);
		}

		@Bean
		ObservationRegistry observationRegistry() {
			return ObservationRegistry.create();
		}

		@Bean
		ObservedAspect observedAspect(ObservationRegistry registry) {
			return new ObservedAspect(registry);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedConfig {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		MatrixTests.OnClass calls() {
			return new MatrixTests.OnClass();
		}

	}

	static class Pooled {

		@Bulkhead(name = "m", type = Bulkhead.Type.THREADPOOL)
		@TimeLimiter(name = "m")
		@DistributedLock(name = "pooled", key = "#id")
		public CompletableFuture<String> run(String id) {
			return CompletableFuture.completedFuture(LockedBeans.heldKey());
		}

	}

	static class Own {

		@Autowired
		private Own self;

		@Retry(name = "m")
		@CircuitBreaker(name = "m")
		@TimeLimiter(name = "m")
		@Timed("m")
		@Observed(name = "m")
		@DistributedLock(name = "own", key = "#id")
		public CompletableFuture<String> run(String id) {
			return CompletableFuture.completedFuture(LockedBeans.heldKey());
		}

		public CompletableFuture<String> runSelf(String id) {
			return this.self.run(id);
		}

	}

	@Configuration
	static class LockedConfig {

		@Bean
		Object made() {
			return new Object();
		}

		@Retry(name = "m")
		@Timed("m")
		@DistributedLock(name = "config", key = "#id")
		public String run(String id) {
			return LockedBeans.heldKey();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Functions {

		@Bean
		Function<String, String> onMethod() {
			return new OnMethod();
		}

		@Bean
		Function<String, String> onClass() {
			return new OnClass();
		}

		@Bean
		LockedFunction lambda() {
			return (id) -> LockedBeans.heldKey();
		}

		@Bean
		Typed typed() {
			return new Typed();
		}

	}

	static class OnMethod implements Function<String, String> {

		@Override
		@Retry(name = "m")
		@Timed("m")
		@DistributedLock(name = "onMethod", key = "#id")
		public String apply(String id) {
			return LockedBeans.heldKey();
		}

	}

	@Retry(name = "m")
	@Timed("m")
	@DistributedLock(name = "onClass", key = "#id")
	static class OnClass implements Function<String, String> {

		@Override
		public String apply(String id) {
			return LockedBeans.heldKey();
		}

	}

	interface LockedFunction extends Function<String, String> {

		@Override
		@Retry(name = "m")
		@DistributedLock(name = "lambda", key = "#id")
		String apply(String id);

	}

	abstract static class Generic<T, R> implements Function<T, R> {

		@Retry(name = "m")
		@DistributedLock(name = "typed", key = "#id")
		@Override
		public R apply(T id) {
			return answer();
		}

		abstract R answer();

	}

	static class Typed extends Generic<String, String> {

		@Override
		String answer() {
			return LockedBeans.heldKey();
		}

	}

}
