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
import java.util.function.Supplier;
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
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The aspects of Resilience4j and of Micrometer, and the advice of Spring, beside the
 * lock: the method runs once, under its lock, and each aspect sees one call, whatever the
 * order of the advice, the shape of the bean and the kind of its proxy.
 */
class LibraryAdviceTests {

	private static final boolean BRIEF = Boolean.getBoolean("lock.test.brief");

	private static final EnumSet<MatrixTests.Returned> ASYNCHRONOUS = EnumSet.of(MatrixTests.Returned.FUTURE,
			MatrixTests.Returned.STAGE, MatrixTests.Returned.MONO, MatrixTests.Returned.FLUX);

	private static final EnumSet<MatrixTests.Returned> FUTURES = EnumSet.of(MatrixTests.Returned.FUTURE,
			MatrixTests.Returned.STAGE);

	private static final EnumSet<MatrixTests.Returned> STREAMS = EnumSet.of(MatrixTests.Returned.FLUX,
			MatrixTests.Returned.FLOWABLE, MatrixTests.Returned.OBSERVABLE);

	private static final EnumSet<MatrixTests.Returned> RXJAVA = EnumSet.of(MatrixTests.Returned.SINGLE,
			MatrixTests.Returned.MAYBE, MatrixTests.Returned.COMPLETABLE, MatrixTests.Returned.FLOWABLE,
			MatrixTests.Returned.OBSERVABLE);

	private final RecordingProvider provider = new RecordingProvider();

	/**
	 * Each context is made for all types that it fits: the proxies of one take a second.
	 */
	static Stream<Arguments> contexts() {
		return proxies().flatMap((proxy) -> Stream.of(true, false)
			.map((asynchronous) -> arguments(proxy.get()[0], asynchronous, proxy.get()[1])));
	}

	/**
	 * Return the orders, each with and without proxies of the class.
	 */
	static Stream<Arguments> proxies() {
		return orders().boxed()
			.flatMap((order) -> (BRIEF ? Stream.of(true) : Stream.of(true, false))
				.map((ofClass) -> arguments(order, ofClass)));
	}

	static IntStream orders() {
		return IntStream.of(Ordered.HIGHEST_PRECEDENCE, DistributedLockBeanPostProcessor.DEFAULT_ORDER,
				Ordered.LOWEST_PRECEDENCE);
	}

	@ParameterizedTest
	@MethodSource("contexts")
	void methodRunsOnceUnderItsLockAndEachAspectSeesIt(int order, boolean asynchronous, boolean ofClass) {
		try (AnnotationConfigApplicationContext context = open(order, asynchronous, ofClass,
				(beans) -> beans.registerBean("calls", MatrixTests.OnClass.class))) {
			assertThat(AopUtils.isCglibProxy(context.getBean("calls"))).isEqualTo(ofClass);
			assertThatEachRunsOnce(context, asynchronous);
		}
	}

	/**
	 * Resilience4j 2.4 has no retries for types of RxJava 3.
	 */
	@ParameterizedTest
	@MethodSource("proxies")
	void eachAttemptOfARetryRunsUnderTheLock(int order, boolean ofClass) {
		try (AnnotationConfigApplicationContext context = open(order, false, ofClass,
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
	 * Spring does not retry futures. Inside of the lock the advice of methods that return
	 * futures and reactive types runs on another thread.
	 */
	@ParameterizedTest
	@MethodSource("proxies")
	void eachAttemptRunsUnderTheLockBesideTheAdviceOfSpring(int order, boolean ofClass) {
		SecurityContextHolder.setStrategyName(SecurityContextHolder.MODE_GLOBAL);
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, ofClass, (beans) -> {
			beans.register(ofClass ? AspectTests.ClassProxies.class : AspectTests.InterfaceProxies.class);
			beans.register(SpringAdvice.class);
			beans.registerBean("calls", MatrixTests.OnClass.class,
					(bean) -> bean.setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, ofClass));
			moveAdvice(beans, order);
		})) {
			MatrixTests.Calls calls = context.getBean(MatrixTests.Calls.class);
			assertThat(AopUtils.isCglibProxy(calls)).isEqualTo(ofClass);
			for (MatrixTests.Returned returned : MatrixTests.Returned.values()) {
				int needed = FUTURES.contains(returned) ? 1 : 3;
				AtomicInteger attempts = new AtomicInteger();
				Supplier<String> work = () -> {
					this.provider.record("work");
					if (attempts.incrementAndGet() < needed) {
						throw new IllegalStateException("not yet");
					}
					return "done";
				};
				this.provider.events().clear();
				AdviceOrderTests.login("USER");
				assertThatException().as("%s", returned)
					.isThrownBy(() -> returned.call(calls, work))
					.satisfies((failure) -> assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
						.isInstanceOf(AccessDeniedException.class));
				assertThat(this.provider.events()).as("%s", returned).doesNotContain("work");
				AdviceOrderTests.login("ADMIN");
				returned.call(calls, work);
				assertThat(attempts).as("%s", returned).hasValue(needed);
				returned.call(calls, work);
				assertThat(attempts).as("%s, cached", returned)
					.hasValue(STREAMS.contains(returned) ? needed + 1 : needed);
				assertThat(String.join(" ", this.provider.events())).as("%s", returned)
					.matches("(acquire t:m:k( work)* release t:m:k ?)+");
			}
		}
		finally {
			SecurityContextHolder.clearContext();
			SecurityContextHolder.setStrategyName(SecurityContextHolder.MODE_THREADLOCAL);
		}
	}

	@ParameterizedTest
	@MethodSource("proxies")
	void methodThatRunsInTheBackgroundTakesItsLockThere(int order, boolean ofClass) {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, ofClass, (beans) -> {
			beans.register(SpringAdvice.class);
			beans.registerBean("background", InBackground.class,
					(bean) -> bean.setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, ofClass));
			moveAdvice(beans, order);
		})) {
			Background background = context.getBean(Background.class);
			assertThat(AopUtils.isCglibProxy(background)).isEqualTo(ofClass);
			assertThat(background.future("1")).succeedsWithin(Patience.LIMIT).isEqualTo("t:background:1");
			background.nothing("2");
			Patience.await()
				.untilAsserted(
						() -> assertThat(this.provider.events()).containsExactlyInAnyOrder("acquire t:background:1",
								"release t:background:1", "acquire t:background:2", "release t:background:2"));
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
	@Tag("proxies")
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
		return open(order, asynchronous, true, beans);
	}

	private AnnotationConfigApplicationContext open(int order, boolean asynchronous, boolean ofClass,
			Consumer<AnnotationConfigApplicationContext> beans) {
		return Contexts.open(this.provider, false, ofClass, (context) -> {
			context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("resilience4j", Map.of("resilience4j.retry.instances.m.wait-duration",
						"1ms", "resilience4j.timelimiter.instances.m.timeout-duration", Patience.LIMIT)));
			context.register(Aspects.class,
					ofClass ? AspectTests.ClassProxies.class : AspectTests.InterfaceProxies.class);
			if (Contexts.WOVEN) {
				context.register(Measuring.class);
			}
			if (asynchronous) {
				// it refuses other types
				context.register(TimeLimiterAutoConfiguration.class);
			}
			moveAdvice(context, order);
			beans.accept(context);
		});
	}

	static void moveAdvice(AnnotationConfigApplicationContext context, int order) {
		context.addBeanFactoryPostProcessor((factory) -> {
			BeanDefinition definition = factory
				.getBeanDefinition(factory.getBeanNamesForType(DistributedLockBeanPostProcessor.class)[0]);
			definition.getPropertyValues().add("adviceOrder", order);
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

	/**
	 * Spring takes a class that is woven with the lock for one that is woven with all
	 * aspects that AspectJ has compiled, such as those of Micrometer.
	 */
	@Aspect
	static class Measuring {

		@Autowired
		private TimedAspect timed;

		@Autowired
		private ObservedAspect observed;

		@Around("@within(io.micrometer.core.annotation.Timed)")
		Object time(ProceedingJoinPoint call) throws Throwable {
			return this.timed.timedClass(call);
		}

		@Around("@within(io.micrometer.observation.annotation.Observed)")
		Object observe(ProceedingJoinPoint call) throws Throwable {
			return this.observed.observeClass(call);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableCaching
	@EnableMethodSecurity
	@EnableResilientMethods
	static class SpringAdvice {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		static MethodValidationPostProcessor methodValidationPostProcessor() {
			MethodValidationPostProcessor processor = AdviceOrderTests.GuardedConfig.methodValidationPostProcessor();
			processor.setProxyTargetClass(false);
			return processor;
		}

	}

	interface Background {

		void nothing(String id);

		CompletableFuture<String> future(String id);

	}

	@Async
	@DistributedLock(name = "background", key = "#id")
	static class InBackground implements Background {

		@Override
		public void nothing(String id) {
			LockedBeans.heldKey();
		}

		@Override
		public CompletableFuture<String> future(String id) {
			return CompletableFuture.completedFuture(LockedBeans.heldKey());
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
