package io.distributedlock.engine.internal.lease;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.engine.internal.request.LockAttempt;
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
			Duration.ZERO, false, LEASE, true, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO, true);

	private final LeaseClock clock = LeaseClock.of(ATTEMPT, new LeaseTerm(0, LEASE), 0, 3 * SECOND);

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

	@Test
	void nextHolderOfALeaseHasATimeOfItsOwnToWhichTheLeaseIsRenewed() {
		LockAttempt explicit = new LockAttempt("", "k", new LocalLockProvider(), LockType.EXCLUSIVE, 1, Duration.ZERO,
				false, LEASE, false, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO, true);
		LeaseTerm term = new LeaseTerm(0, LEASE);
		LeaseClock first = LeaseClock.of(explicit, term, 0, 3 * SECOND);
		assertThat(first.isRenewalDue(8 * SECOND)).isFalse();
		LeaseClock next = first.passedOn(explicit, 4 * SECOND, 3 * SECOND);
		assertThat(next.deadlineNanos()).isEqualTo(term.deadlineNanos());
		assertThat(next.isRenewalDue(4 * SECOND)).isTrue();
		assertThat(next.renewalTime(5 * SECOND)).isEqualTo(Duration.ofSeconds(8));
		LeaseTerm renewed = new LeaseTerm(5 * SECOND, Duration.ofSeconds(8));
		next.renewed(renewed, 6 * SECOND, next.renewalSent(5 * SECOND));
		assertThat(next.deadlineNanos()).isEqualTo(renewed.deadlineNanos());
		assertThat(next.isRenewalDue(8 * SECOND)).isFalse();
	}

	@Test
	void requestWithoutAnswerKeepsALeaseFromBeingPassedOn() {
		LeaseClock asking = LeaseClock.of(ATTEMPT, new LeaseTerm(0, LEASE), 0, 3 * SECOND);
		assertThat(asking.isSettled()).isTrue();
		OpenRequests.Request request = asking.renewalSent(3 * SECOND);
		assertThat(asking.isSettled()).isFalse();
		asking.renewed(new LeaseTerm(3 * SECOND, LEASE), 4 * SECOND, request);
		assertThat(asking.isSettled()).isTrue();
	}

}
