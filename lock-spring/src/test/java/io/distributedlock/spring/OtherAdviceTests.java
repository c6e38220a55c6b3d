package io.distributedlock.spring;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.test.patience.Patience;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locked methods that Spring calls itself, and fallbacks with annotations of their own.
 */
class OtherAdviceTests {

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (context) -> {
		context.registerBean(RecordingProvider.class, () -> this.provider);
		context.register(Config.class);
	});

	private final Jobs jobs = this.context.getBean(Jobs.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void scheduledRunsAreLocked() {
		Patience.await().until(() -> this.provider.events().contains("release t:Jobs.scheduled"));
		this.context.close();
		List<String> events = this.provider.events();
		int run = events.indexOf("scheduled");
		assertThat(events.subList(run - 1, run + 2)).containsExactly("acquire t:Jobs.scheduled", "scheduled",
				"release t:Jobs.scheduled");
	}

	@Test
	void listenersAreLocked() {
		this.context.publishEvent(new Told("1"));
		assertThat(eventsOf("told")).containsExactly("acquire t:told:1", "told", "release t:told:1");
	}

	@Test
	void listenersOfATransactionAreLockedInEachPhaseAndLeaveNothing() {
		TransactionTemplate transaction = new TransactionTemplate(
				this.context.getBean(PlatformTransactionManager.class));
		transaction.executeWithoutResult((status) -> this.context.publishEvent(new Done("1")));
		assertThat(eventsOf("done")).containsExactly("acquire t:done:before", "before", "release t:done:before",
				"acquire t:done:after", "after", "release t:done:after", "acquire t:done:completion", "completion",
				"release t:done:completion");
	}

	@Test
	@Tag("proxies")
	void valueOfASynchronizedCacheIsComputedUnderTheLock() {
		assertThat(this.jobs.cached("1")).isEqualTo("t:cached:1");
		assertThat(this.jobs.cached("1")).isEqualTo("t:cached:1");
		assertThat(this.provider.events()).filteredOn("compute"::equals).hasSize(1);
	}

	/**
	 * Further calls wait for the limit outside of the lock.
	 */
	@Test
	void limitIsOutsideOfTheLock() throws Exception {
		CompletableFuture<Void> first = CompletableFuture.runAsync(() -> this.jobs.limited("1"));
		this.jobs.inside().await();
		CompletableFuture<Void> second = CompletableFuture.runAsync(() -> this.jobs.limited("2"));
		assertThat(eventsOf("limited")).containsExactly("acquire t:limited:1");
		this.jobs.mayEnd().countDown();
		CompletableFuture.allOf(first, second).get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(eventsOf("limited")).containsExactly("acquire t:limited:1", "release t:limited:1",
				"acquire t:limited:2", "release t:limited:2");
	}

	@Test
	@Tag("proxies")
	void fallbackHasItsOwnTransaction() {
		this.provider.contended(true);
		assertThat(this.jobs.take("1")).isEqualTo("fallback 1 true");
		assertThat(this.jobs.takePrivately("1")).isEqualTo("private fallback 1 field");
		assertThat(this.jobs.takeGenerically("1")).isEqualTo("generic fallback 1");
	}

	private List<String> eventsOf(String name) {
		return this.provider.events()
			.stream()
			.filter((event) -> event.contains(":" + name + ":")
					|| List.of("told", "before", "after", "completion").contains(event))
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@EnableCaching(proxyTargetClass = true)
	@EnableResilientMethods(proxyTargetClass = true)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Config {

		@Bean
		Jobs jobs(RecordingProvider provider) {
			return new Jobs(provider);
		}

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		PlatformTransactionManager transactionManager() {
			JdbcDataSource dataSource = new JdbcDataSource();
			dataSource.setURL("jdbc:h2:mem:other-advice");
			return new DataSourceTransactionManager(dataSource);
		}

	}

	record Told(String id) {

	}

	record Done(String id) {

	}

	static class Fallbacks<T> {

		public String genericFallback(T id) {
			return "generic fallback " + id;
		}

	}

	static class Jobs extends Fallbacks<String> {

		private final RecordingProvider provider;

		private final String field = "field";

		private final CountDownLatch inside = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		Jobs(RecordingProvider provider) {
			this.provider = provider;
		}

		CountDownLatch inside() {
			return this.inside;
		}

		CountDownLatch mayEnd() {
			return this.mayEnd;
		}

		@Scheduled(fixedDelay = 50)
		@DistributedLock
		public void scheduled() {
			this.provider.record("scheduled");
		}

		@EventListener
		@DistributedLock(name = "told", key = "#told.id")
		public void on(Told told) {
			this.provider.record("told");
		}

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		@DistributedLock(name = "done", key = "'before'", release = ReleaseTime.AFTER_METHOD)
		public void before(Done done) {
			this.provider.record("before");
		}

		@TransactionalEventListener
		@DistributedLock(name = "done", key = "'after'")
		public void after(Done done) {
			this.provider.record("after");
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
		@DistributedLock(name = "done", key = "'completion'")
		public void completion(Done done) {
			this.provider.record("completion");
		}

		@Cacheable(cacheNames = "values", sync = true)
		@DistributedLock(name = "cached", key = "#id")
		public String cached(String id) {
			this.provider.record("compute");
			return LockContext.current().key();
		}

		@ConcurrencyLimit(1)
		@DistributedLock(name = "limited", key = "#id")
		public void limited(String id) {
			this.inside.countDown();
			try {
				this.mayEnd.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "instead")
		public String take(String id) {
			return "taken";
		}

		@Transactional
		public String instead(String id) {
			return "fallback " + id + " " + TransactionSynchronizationManager.isActualTransactionActive();
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "privately")
		public String takePrivately(String id) {
			return "taken";
		}

		@SuppressWarnings("UnusedMethod")
		private String privately(String id) {
			return "private fallback " + id + " " + this.field;
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "genericFallback")
		public String takeGenerically(String id) {
			return "taken";
		}

	}

}
