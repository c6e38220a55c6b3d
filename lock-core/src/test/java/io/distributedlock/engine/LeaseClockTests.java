package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LeaseTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a lease is renewed that gets no answers.
 */
class LeaseClockTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static final LockAttempt ATTEMPT = new LockAttempt("", "k", new LocalLockProvider(), LockType.EXCLUSIVE, 1,
			Duration.ZERO, LEASE, true, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO);

	private final LeaseClock clock = new LeaseClock(ATTEMPT, new LeaseTerm(0, LEASE), 3 * SECOND);

	/**
	 * The command time-out of the first one and the time of the second one may be the
	 * same: whichever comes first, there is a third one in time.
	 */
	@Test
	void leaseIsRenewedAgainWhileThereIsTimeForAnAnswer() {
		this.clock.renewalSent(3 * SECOND);
		this.clock.renewalFailed(6 * SECOND);
		this.clock.renewalSent(6 * SECOND);
		assertThat(this.clock.nextEventNanos()).isLessThan(8 * SECOND);
	}

	@Test
	void renewalsWithoutAnAnswerAreFew() {
		int sent = 0;
		for (long now = 3 * SECOND; now < this.clock.deadlineNanos(); now = this.clock.nextEventNanos()) {
			if (this.clock.isRenewalDue(now)) {
				this.clock.renewalSent(now);
				sent++;
			}
		}
		assertThat(sent).isBetween(3, 8);
	}

}
