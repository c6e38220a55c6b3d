package io.distributedlock.spring;

import java.util.Collections;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring calls a scheduled method that returns a publisher once, and subscribes for each
 * run.
 */
class ReactiveScheduleTests {

	@Test
	void eachRunIsLockedAndARefusedOneIsSkipped() {
		RecordingProvider provider = new RecordingProvider();
		try (AnnotationConfigApplicationContext context = Contexts.open(provider, false, true, (each) -> {
			each.registerBean(RecordingProvider.class, () -> provider);
			each.register(Config.class);
		})) {
			assertThat(context.getBean(Job.class)).isNotNull();
			awaitRuns(provider, 2);
			provider.contended(true);
			int attempts = provider.attempts();
			// the one that is under way may be granted
			Patience.await().until(() -> provider.attempts() > attempts + 1);
			int runs = Collections.frequency(provider.events(), "run");
			provider.contended(false);
			awaitRuns(provider, runs + 1);
		}
		assertThat(provider.events()).startsWith("acquire t:Job.run", "run", "release t:Job.run", "acquire t:Job.run",
				"run", "release t:Job.run");
	}

	private static void awaitRuns(RecordingProvider provider, int runs) {
		Patience.await().until(() -> Collections.frequency(provider.events(), "run") >= runs);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Config {

		@Bean
		Job job(RecordingProvider provider) {
			return new Job(provider);
		}

	}

	static class Job {

		private final RecordingProvider provider;

		Job(RecordingProvider provider) {
			this.provider = provider;
		}

		@Scheduled(fixedDelay = 20)
		@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
		public Mono<Void> run() {
			return Mono.fromRunnable(() -> this.provider.record("run"));
		}

	}

}
