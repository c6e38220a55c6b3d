package io.distributedlock.examples.payouts;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockTemplate;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LedgerTests {

	private final TestLocks locks = TestLocks.create((builder) -> builder.waitTime(Duration.ofSeconds(1)));

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void lockIsHeldWhileTheLedgerIsWritten() {
		LockTemplate lockTemplate = this.locks.template();
		try (LockHandle lock = lockTemplate.acquire("ledger")) {
			this.locks.advance(Duration.ofHours(1));
			lock.ensureHeld();
			assertThat(this.locks).isHeld("ledger");
		}
		assertThat(this.locks).hasNothingHeld();
	}

}
