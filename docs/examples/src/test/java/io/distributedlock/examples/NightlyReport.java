package io.distributedlock.examples;

import io.distributedlock.annotation.ScheduledLock;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class NightlyReport {

	private final ReportWriter writer;

	NightlyReport(ReportWriter writer) {
		this.writer = writer;
	}

	@Scheduled(cron = "${reports.nightly}")
	@ScheduledLock(name = "nightly-report", holdAtLeast = "30s")
	public void write() {
		this.writer.write();
	}

	interface ReportWriter {

		void write();

	}

}
