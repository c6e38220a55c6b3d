package io.distributedlock.examples;

import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.annotation.ScheduledLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

class SchedulesExampleTests extends OnEveryProvider {

	private static final AtomicInteger RUNS = new AtomicInteger();

	private static final AtomicInteger TICKS = new AtomicInteger();

	@BeforeEach
	void reset() {
		RUNS.set(0);
		TICKS.set(0);
	}

	@Test
	void taskRunsOnceThoughTheClocksOfTheNodesDiffer() {
		ConfigurableApplicationContext first = node(NightlyReport.class);
		ConfigurableApplicationContext second = node(NightlyReport.class);
		Awaitility.await().until(() -> TICKS.get() >= 6);
		assertThat(first.isRunning() && second.isRunning()).isTrue();
		assertThat(RUNS).as("of both nodes").hasValue(1);
	}

	@EnableScheduling
	static class NightlyReport {

		// in production: @Scheduled(cron = "0 0 3 * * *")
		@Scheduled(fixedDelay = 100)
		@ScheduledLock(name = "nightly-report", holdAtLeast = "30s")
		public void write() {
			RUNS.incrementAndGet();
		}

		@Scheduled(fixedDelay = 100)
		public void tick() {
			TICKS.incrementAndGet();
		}

	}

}
