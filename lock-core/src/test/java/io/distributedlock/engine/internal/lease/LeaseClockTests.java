package io.distributedlock.engine.internal.lease;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.engine.internal.request.KeyId;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LeaseTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a lease is renewed, and what answers mean that are late or do not come.
 */
class LeaseClockTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static final LockAttempt ATTEMPT = new LockAttempt("", new KeyId("p", 0, "k"), new LocalLockProvider(),
			LockType.EXCLUSIVE, 1, Duration.ZERO, false, LEASE, true, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO,
			true);

	private static final LockAttempt EXPLICIT = new LockAttempt("", new KeyId("p", 0, "k"), new LocalLockProvider(),
			LockType.EXCLUSIVE, 1, Duration.ZERO, false, LEASE, false, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO,
			true);

	private static final Duration LONG = Duration.ofMinutes(2);

	private final LeaseClock clock = LeaseClock.of(ATTEMPT, new LeaseTerm(0, LEASE), 0);

	/**
	 * The command time-out of the first one and the time of the second one may be the
	 * same: whichever comes first, there is a third one in time.
	 */
	@Test
	void leaseIsRenewedAgainWhileThereIsTimeForAnAnswer() {
		this.clock.renewalBegun(3 * SECOND);
		this.clock.renewalFailed(6 * SECOND);
		this.clock.renewalBegun(6 * SECOND);
		assertThat(this.clock.nextEventNanos()).isLessThan(8 * SECOND);
	}

	@Test
	void renewalsWithoutAnAnswerAreFew() {
		int sent = 0;
		for (long now = 3 * SECOND; now < this.clock.deadlineNanos(); now = this.clock.nextEventNanos()) {
			if (this.clock.isRenewalDue(now)) {
				this.clock.renewalBegun(now);
				sent++;
			}
		}
		assertThat(sent).isBetween(3, 8);
	}

	@Test
	void nextHolderOfALeaseHasATimeOfItsOwnToWhichTheLeaseIsRenewed() {
		LeaseTerm term = new LeaseTerm(0, LEASE);
		LeaseClock first = LeaseClock.of(EXPLICIT, term, 0);
		assertThat(first.isRenewalDue(8 * SECOND)).isFalse();
		LeaseClock next = first.passedOn(EXPLICIT, 4 * SECOND);
		assertThat(next.deadlineNanos()).isEqualTo(term.deadlineNanos());
		assertThat(next.isRenewalDue(4 * SECOND)).isTrue();
		assertThat(next.lengthToKeep(5 * SECOND)).isEqualTo(Duration.ofSeconds(8));
		LeaseTerm renewed = new LeaseTerm(5 * SECOND, Duration.ofSeconds(8));
		next.renewed(renewed, 6 * SECOND, next.sent(5 * SECOND, Duration.ofSeconds(8)));
		assertThat(next.deadlineNanos()).isEqualTo(renewed.deadlineNanos());
		assertThat(next.isRenewalDue(8 * SECOND)).isFalse();
	}

	/**
	 * A network that was parted delivers it when it is whole again.
	 */
	@Test
	void requestWithoutAnAnswerMayCutALongerTermForAsLongAsSystemsSendAgain() {
		assertThat(this.clock.isSettled(3 * SECOND)).isTrue();
		this.clock.unanswered(this.clock.sent(3 * SECOND, LONG), 4 * SECOND);
		this.clock.unanswered(this.clock.sent(5 * SECOND, LEASE), 6 * SECOND);
		this.clock.unanswered(this.clock.sent(7 * SECOND, LONG), 8 * SECOND);
		LeaseTerm second = new LeaseTerm(8 * SECOND, LONG);
		this.clock.extended(second, 8 * SECOND, this.clock.sent(8 * SECOND, LONG));
		assertThat(this.clock.deadlineNanos()).isEqualTo(new LeaseTerm(8 * SECOND, LEASE).deadlineNanos());
		assertThat(this.clock.isSettled(900 * SECOND)).isFalse();
		assertThat(this.clock.isSettled(1900 * SECOND)).isTrue();
	}

	@Test
	void requestThatCanArriveNoMoreCutsNothing() {
		LeaseClock old = LeaseClock.of(ATTEMPT, new LeaseTerm(1890 * SECOND, LEASE), 1890 * SECOND);
		old.unanswered(old.sent(3 * SECOND, LEASE), 4 * SECOND);
		LeaseTerm term = new LeaseTerm(1891 * SECOND, LONG);
		old.extended(term, 1892 * SECOND, old.sent(1891 * SECOND, LONG));
		assertThat(old.deadlineNanos()).isEqualTo(term.deadlineNanos());
	}

	/**
	 * The backend may have carried out the last request after the one that it answers
	 * late.
	 */
	@Test
	void lateAnswerCountsOnlyIfTheLastRequestDoesNotLetTheLeaseEndBefore() {
		LeaseClock.Request extension = this.clock.sent(SECOND, LONG);
		LeaseClock.Request renewal = this.clock.sent(3 * SECOND, LEASE);
		this.clock.sent(5 * SECOND, LEASE);
		this.clock.renewed(new LeaseTerm(SECOND, LONG), 6 * SECOND, extension);
		assertThat(this.clock.deadlineNanos()).isEqualTo(new LeaseTerm(0, LEASE).deadlineNanos());
		LeaseTerm late = new LeaseTerm(3 * SECOND, LEASE);
		this.clock.renewed(late, 6 * SECOND, renewal);
		assertThat(this.clock.deadlineNanos()).isEqualTo(late.deadlineNanos());
	}

	@Test
	void extensionMovesTheEndOfALeaseAndNeverBack() {
		LeaseClock explicit = LeaseClock.of(EXPLICIT, new LeaseTerm(0, LEASE), 0);
		explicit.extended(new LeaseTerm(SECOND, LONG), 2 * SECOND, explicit.sent(SECOND, LONG));
		assertThat(explicit.lengthToKeep(11 * SECOND)).isEqualTo(LONG.minusSeconds(10));
		assertThat(explicit.isRenewalDue(60 * SECOND)).isFalse();
	}

}
