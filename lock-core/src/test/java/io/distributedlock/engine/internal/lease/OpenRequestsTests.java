package io.distributedlock.engine.internal.lease;

import java.time.Duration;

import io.distributedlock.spi.LeaseTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was sent and not answered may still be carried out: a network that was parted
 * delivers it when it is whole again.
 */
class OpenRequestsTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final Duration SHORT = Duration.ofSeconds(6);

	private static final Duration LONG = Duration.ofMinutes(1);

	private final OpenRequests open = new OpenRequests(SECOND / 2);

	@Test
	void renewalWithoutAnAnswerMayCutALaterTermForAsLongAsSystemsSendAgain() {
		this.open.sent(0, SHORT, new LeaseTerm(0, SHORT));
		assertThat(sureOf(new LeaseTerm(60 * SECOND, LONG))).isEqualTo(deadline(60, SHORT));
		assertThat(sureOf(new LeaseTerm(900 * SECOND, LONG))).isEqualTo(deadline(900, SHORT));
		assertThat(sureOf(new LeaseTerm(1900 * SECOND, LONG))).isEqualTo(deadline(1900, LONG));
	}

	@Test
	void answerSettlesARequest() {
		OpenRequests.Request request = this.open.sent(0, SHORT, new LeaseTerm(0, SHORT));
		request.answered(SECOND, new LeaseTerm(0, SHORT));
		assertThat(sureOf(new LeaseTerm(2 * SECOND, LONG))).isEqualTo(deadline(2, LONG));
	}

	/**
	 * Every second renewal is answered, for ten minutes.
	 */
	@Test
	void fewAreKeptOfABackendThatOftenDoesNotAnswer() {
		LeaseTerm term = new LeaseTerm(0, SHORT);
		for (int second = 1; second < 600; second++) {
			OpenRequests.Request request = this.open.sent(second * SECOND, SHORT, term);
			if (second % 2 == 0) {
				term = new LeaseTerm(second * SECOND, SHORT);
				request.answered(second * SECOND, term);
			}
		}
		assertThat(this.open.size()).isLessThan(20);
		assertThat(sureOf(new LeaseTerm(600 * SECOND, LONG))).isEqualTo(deadline(600, SHORT));
	}

	/**
	 * What stands for others is not settled by an answer to the last of them.
	 */
	@Test
	void lateAnswerSettlesItsOwnRequestOnly() {
		OpenRequests.Request last = this.open.sent(0, SHORT, new LeaseTerm(0, SHORT));
		for (int second = 1; second < 40; second++) {
			last = this.open.sent(second * SECOND, SHORT, new LeaseTerm(second * SECOND, SHORT));
		}
		last.answered(41 * SECOND, new LeaseTerm(39 * SECOND, SHORT));
		this.open.sent(50 * SECOND, LONG, new LeaseTerm(42 * SECOND, SHORT))
			.answered(51 * SECOND, new LeaseTerm(50 * SECOND, LONG));
		assertThat(sureOf(new LeaseTerm(50 * SECOND, LONG))).isEqualTo(deadline(50, SHORT));
	}

	private static long deadline(long startSeconds, Duration granted) {
		return new LeaseTerm(startSeconds * SECOND, granted).deadlineNanos();
	}

	private long sureOf(LeaseTerm term) {
		return this.open.sureOf(term).deadlineNanos();
	}

}
