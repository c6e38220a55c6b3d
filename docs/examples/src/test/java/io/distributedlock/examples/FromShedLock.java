package io.distributedlock.examples;

import java.time.Duration;

import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.ScheduledLock;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class FromShedLock {

	private final LockTemplate lockTemplate;

	private final Reports reports;

	FromShedLock(LockTemplate lockTemplate, Reports reports) {
		this.lockTemplate = lockTemplate;
		this.reports = reports;
	}

	@Scheduled(cron = "${reports.hourly}")
	@ScheduledLock(name = "hourly-report", holdAtLeast = "1m")
	public void write() {
		this.reports.write();
	}

	@DistributedLock(name = "import", key = "#shop", leaseTime = "10m", waitTime = "0",
			onContention = OnContention.SKIP)
	public void importFrom(String shop) {
		this.reports.write();
		LockContext.current().extend(Duration.ofMinutes(5));
		this.reports.write();
		LockContext.current().ensureHeld();
	}

	public void writeUnderBoth() {
		LockRequest ours = LockRequest.of("hourly-report")
			.withWaitTime(Duration.ZERO)
			.withHoldAtLeast(Duration.ofMinutes(1));
		this.lockTemplate.tryExecute(ours, () -> this.reports.write());
	}

	interface Reports {

		void write();

	}

}
