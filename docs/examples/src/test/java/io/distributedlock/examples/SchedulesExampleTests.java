package io.distributedlock.examples;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

class SchedulesExampleTests extends OnEveryProvider {

	private static final List<String> EACH_SECOND = List.of("reports.nightly=* * * * * *");

	private static final AtomicInteger REPORTS = new AtomicInteger();

	@BeforeEach
	void reset() {
		REPORTS.set(0);
	}

	@Test
	void taskRunsOnceThoughTheClocksOfTheNodesDiffer() {
		ConfigurableApplicationContext first = node(EACH_SECOND, NightlyReport.class, Counting.class);
		ConfigurableApplicationContext second = node(EACH_SECOND, NightlyReport.class, Counting.class);
		Patience.await().until(() -> first.getBean(Counting.class).ticks() >= 2);
		Patience.await().until(() -> second.getBean(Counting.class).ticks() >= 2);
		assertThat(REPORTS).as("of both nodes").hasValue(1);
	}

	@EnableScheduling
	static class Counting implements NightlyReport.ReportWriter {

		private final AtomicInteger ticks = new AtomicInteger();

		@Override
		public void write() {
			REPORTS.incrementAndGet();
		}

		@Scheduled(cron = "${reports.nightly}")
		public void tick() {
			this.ticks.incrementAndGet();
		}

		int ticks() {
			return this.ticks.get();
		}

	}

}
