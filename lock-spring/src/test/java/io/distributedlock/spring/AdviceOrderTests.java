package io.distributedlock.spring;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.patience.Patience;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotBlank;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.core.annotation.Order;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The order of advice if several annotations stand on one method.
 */
class AdviceOrderTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void lockIsTakenOnTheThreadThatRunsTheMethod() throws InterruptedException {
		try (AnnotationConfigApplicationContext context = open()) {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.later("1");
			assertThat(jobs.started().await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
			assertThat(this.provider.events()).containsExactly("acquire t:Jobs.later:1");
			jobs.mayEnd().countDown();
			Patience.await().until(() -> this.provider.events().size() == 2);
			assertThat(this.provider.events()).containsExactly("acquire t:Jobs.later:1", "release t:Jobs.later:1");
		}
	}

	@Test
	void eachRetryTakesTheLockAnew() {
		try (AnnotationConfigApplicationContext context = open()) {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.flaky("1");
			assertThat(jobs.attempts()).isEqualTo(3);
			assertThat(this.provider.events()).containsExactly("acquire t:Jobs.flaky:1", "release t:Jobs.flaky:1",
					"acquire t:Jobs.flaky:1", "release t:Jobs.flaky:1", "acquire t:Jobs.flaky:1",
					"release t:Jobs.flaky:1");
		}
	}

	/**
	 * The annotation of Spring Retry has the name of Spring's, but is advice with an
	 * order.
	 */
	@ParameterizedTest
	@CsvSource({ "2147483645, 1", "2147483647, 3" })
	@Tag("proxies")
	void retriesOfSpringRetryRunUnderOneLockUnlessThatIsMovedInside(int order, int locks) {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			beans.register(SpringRetryConfig.class);
			LibraryAdviceTests.moveAdvice(beans, order);
		})) {
			Retried retried = context.getBean(Retried.class);
			assertThat(retried.flaky("1")).isEqualTo(3);
			assertThat(this.provider.keys()).hasSize(locks).containsOnly("t:Retried.flaky:1");
		}
	}

	@Test
	void callerWithoutPermissionDoesNotGetTheLock() {
		try (AnnotationConfigApplicationContext context = open(GuardedConfig.class)) {
			Guarded guarded = context.getBean(Guarded.class);
			login("USER");
			assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> guarded.secured("1"));
			assertThat(this.provider.events()).isEmpty();
			login("ADMIN");
			guarded.secured("1");
			assertThat(this.provider.events()).containsExactly("acquire t:Guarded.secured:1",
					"release t:Guarded.secured:1");
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	@Test
	@Tag("proxies")
	void lockMayBeMovedOutsideOfSecurity() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean(RecordingProvider.class, () -> this.provider);
			beans.register(GuardedConfig.class);
			LibraryAdviceTests.moveAdvice(beans, 50);
		})) {
			login("USER");
			assertThatExceptionOfType(AccessDeniedException.class)
				.isThrownBy(() -> context.getBean(Guarded.class).secured("1"));
			assertThat(this.provider.events()).containsExactly("acquire t:Guarded.secured:1",
					"release t:Guarded.secured:1");
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	@Test
	@Tag("proxies")
	void cacheIsReadUnderTheLock() {
		try (AnnotationConfigApplicationContext context = open(GuardedConfig.class)) {
			Guarded guarded = context.getBean(Guarded.class);
			assertThat(guarded.cached("1")).isEqualTo("value 1");
			assertThat(guarded.cached("1")).isEqualTo("value 1");
			assertThat(guarded.computed()).isEqualTo(1);
			assertThat(this.provider.events()).hasSize(4);
		}
	}

	@Test
	@Tag("proxies")
	void argumentsAreValidatedUnderTheLock() {
		try (AnnotationConfigApplicationContext context = open(GuardedConfig.class)) {
			Guarded guarded = context.getBean(Guarded.class);
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> guarded.validated(""));
			assertThat(this.provider.events()).hasSize(2);
		}
	}

	@Test
	@Tag("proxies")
	void aspectWithAnOrderIsOutsideAndOneWithoutIsInside() {
		try (AnnotationConfigApplicationContext context = open(GuardedConfig.class)) {
			context.getBean(Guarded.class).observed("1");
			assertThat(this.provider.events()).containsExactly("ordered", "acquire t:Guarded.observed:1", "unordered",
					"release t:Guarded.observed:1");
		}
	}

	@Test
	@EnabledIfSystemProperty(named = "lock.test.woven", matches = "true")
	void wovenLockIsInsideOfAllOtherAdvice() {
		try (AnnotationConfigApplicationContext context = open(GuardedConfig.class)) {
			Guarded guarded = context.getBean(Guarded.class);
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> guarded.validated(""));
			assertThat(this.provider.events()).isEmpty();
			guarded.observed("1");
			assertThat(this.provider.events()).containsExactly("ordered", "unordered", "acquire t:Guarded.observed:1",
					"release t:Guarded.observed:1");
			this.provider.events().clear();
			assertThat(guarded.cached("1")).isEqualTo("value 1");
			assertThat(guarded.cached("1")).isEqualTo("value 1");
			assertThat(this.provider.events()).containsExactly("acquire t:Guarded.cached:1",
					"release t:Guarded.cached:1");
		}
	}

	private AnnotationConfigApplicationContext open(Class<?> config) {
		return Contexts.open(this.provider, false, true, (context) -> {
			context.registerBean(RecordingProvider.class, () -> this.provider);
			context.register(config);
		});
	}

	static void login(String role) {
		SecurityContextHolder.getContext()
			.setAuthentication(new TestingAuthenticationToken("user", "secret", "ROLE_" + role));
	}

	private AnnotationConfigApplicationContext open() {
		return Contexts.open(this.provider, false, true, (context) -> context.register(Config.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Config {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	static class Jobs {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private final AtomicInteger attempts = new AtomicInteger();

		@Async
		@DistributedLock("#id")
		public void later(String id) throws InterruptedException {
			this.started.countDown();
			this.mayEnd.await();
		}

		@Retryable(maxRetries = 5, delay = 1)
		@DistributedLock("#id")
		public void flaky(String id) {
			if (this.attempts.incrementAndGet() < 3) {
				throw new IllegalStateException("not yet");
			}
		}

		CountDownLatch started() {
			return this.started;
		}

		CountDownLatch mayEnd() {
			return this.mayEnd;
		}

		int attempts() {
			return this.attempts.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry(proxyTargetClass = true)
	static class SpringRetryConfig {

		@Bean
		Retried retried() {
			return new Retried();
		}

	}

	static class Retried {

		private int attempts;

		@org.springframework.retry.annotation.Retryable(backoff = @Backoff(1))
		@DistributedLock("#id")
		public int flaky(String id) {
			this.attempts++;
			if (this.attempts < 3) {
				throw new IllegalStateException("not yet");
			}
			return this.attempts;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	@EnableMethodSecurity(proxyTargetClass = true)
	@EnableCaching(proxyTargetClass = true)
	static class GuardedConfig {

		@Bean
		Guarded guarded() {
			return new Guarded();
		}

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		static MethodValidationPostProcessor methodValidationPostProcessor() {
			MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
			processor.setProxyTargetClass(true);
			LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean();
			validator.setMessageInterpolator(new ParameterMessageInterpolator());
			validator.afterPropertiesSet();
			processor.setValidator(validator);
			return processor;
		}

		@Bean
		OrderedAspect orderedAspect(RecordingProvider provider) {
			return new OrderedAspect(provider);
		}

		@Bean
		UnorderedAspect unorderedAspect(RecordingProvider provider) {
			return new UnorderedAspect(provider);
		}

	}

	@Aspect
	@Order(5)
	static class OrderedAspect {

		private final RecordingProvider provider;

		OrderedAspect(RecordingProvider provider) {
			this.provider = provider;
		}

		@Before("execution(* observed(..))")
		void before() {
			this.provider.record("ordered");
		}

	}

	@Aspect
	static class UnorderedAspect {

		private final RecordingProvider provider;

		UnorderedAspect(RecordingProvider provider) {
			this.provider = provider;
		}

		@Before("execution(* observed(..))")
		void before() {
			this.provider.record("unordered");
		}

	}

	@Validated
	static class Guarded {

		private int computed;

		int computed() {
			return this.computed;
		}

		@PreAuthorize("hasRole('ADMIN')")
		@DistributedLock("#id")
		public void secured(String id) {
		}

		@Cacheable("values")
		@DistributedLock("#id")
		public String cached(String id) {
			this.computed++;
			return "value " + id;
		}

		@DistributedLock
		public void validated(@NotBlank String id) {
		}

		@DistributedLock("#id")
		public void observed(String id) {
		}

	}

}
