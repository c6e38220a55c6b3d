package io.distributedlock.spring;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.annotation.DistributedLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Asynchronous execution is outside retries, and retries are outside the lock.
 */
class AdviceOrderTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void lockIsTakenOnTheThreadThatRunsTheMethod() throws InterruptedException {
		try (AnnotationConfigApplicationContext context = open()) {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.later("1");
			assertThat(jobs.started().await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(this.provider.events()).containsExactly("acquire t:Jobs.later:1");
			jobs.mayEnd().countDown();
			Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> this.provider.events().size() == 2);
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

}
