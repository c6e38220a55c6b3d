package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link WatchingPlace}: no signal is lost, and no poll costs a question too
 * many.
 */
class WatchingPlaceTests {

	private final BackendException passing = new BackendException("no answer", true, null);

	private final TestPlace place = new TestPlace();

	@Test
	void placeThatIsNotTakenYetIsNotLookedAt() {
		this.place.taken = false;
		this.place.lookAgain();
		this.place.onSignal();
		assertThat(this.place.looks).isEmpty();
		this.place.taken = true;
		this.place.lookAgain();
		assertThat(this.place.looks).as("the place did not stay in a look that was not begun").hasSize(1);
	}

	@Test
	void pollDuringALookIsIgnored() {
		this.place.lookAgain();
		this.place.lookAgain();
		this.place.answerBehindOthers(0);
		assertThat(this.place.looks).hasSize(1);
		this.place.lookAgain();
		assertThat(this.place.looks).hasSize(2);
	}

	@Test
	void signalDuringALookCausesOneMore() {
		this.place.lookAgain();
		this.place.onSignal();
		this.place.onSignal();
		assertThat(this.place.looks).hasSize(1);
		this.place.answerBehindOthers(0);
		assertThat(this.place.looks).hasSize(2);
		this.place.answerBehindOthers(1);
		assertThat(this.place.looks).hasSize(2);
	}

	@Test
	void signalThatComesWhileTheAnswerIsDealtWithCausesOneMore() {
		this.place.lookAgain();
		this.place.looks.get(0).thenRun(this.place::onSignal);
		this.place.answerBehindOthers(0);
		assertThat(this.place.looks).hasSize(2);
	}

	@Test
	void signalCausesALookWhereNoneIsUnderWay() {
		this.place.onSignal();
		assertThat(this.place.looks).hasSize(1);
	}

	@Test
	void signalDuringALookThatFailsCausesOneMore() {
		this.place.lookAgain();
		this.place.answerBehindOthers(0);
		this.place.lookAgain();
		this.place.onSignal();
		this.place.looks.get(1).completeExceptionally(this.passing);
		assertThat(this.place.looks).hasSize(3);
	}

	@Test
	void signalWhoseLookFailsIsMadeUpForByTheNextPoll() {
		this.place.lookAgain();
		this.place.answerBehindOthers(0);
		this.place.onSignal();
		this.place.looks.get(1).completeExceptionally(this.passing);
		assertThat(this.place.isBehindOthers()).isFalse();
		this.place.lookAgain();
		TestLease lease = new TestLease();
		this.place.answerGranted(2, lease);
		assertThat(this.place.granted()).isCompletedWithValue(lease);
	}

	@Test
	void lookThatThrowsEndsThePlaceAndIsNotUnderWayForEver() {
		this.place.broken = true;
		this.place.lookAgain();
		assertThat(this.place.granted()).isCompletedExceptionally();
		assertThat(this.place.removals).isEqualTo(1);
	}

	@Test
	void failureBeforeThePlaceIsConfirmedRemovesIt() {
		this.place.lookAgain();
		this.place.looks.get(0).completeExceptionally(this.passing);
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.place.granted().toCompletableFuture().get())
			.withCause(this.passing);
		assertThat(this.place.removals).isEqualTo(1);
	}

	@Test
	void refusalRemovesAConfirmedPlace() {
		this.place.lookAgain();
		this.place.answerBehindOthers(0);
		this.place.lookAgain();
		assertThat(this.place.watching).isTrue();
		this.place.looks.get(1).completeExceptionally(new BackendException("denied", false, null));
		assertThat(this.place.granted()).isCompletedExceptionally();
		assertThat(this.place.watching).isFalse();
		assertThat(this.place.removals).isEqualTo(1);
	}

	@Test
	void failureAfterTheGrantLeavesThePlaceToItsHolder() {
		this.place.lookAgain();
		this.place.grant(new TestLease());
		this.place.looks.get(0).completeExceptionally(this.passing);
		assertThat(this.place.removals).isZero();
		assertThat(this.place.granted()).isCompleted();
	}

	@Test
	void signalAfterTheEndIsIgnored() {
		this.place.lookAgain();
		this.place.onSignal();
		this.place.leave();
		this.place.answerBehindOthers(0);
		this.place.onSignal();
		this.place.lookAgain();
		assertThat(this.place.looks).hasSize(1);
	}

	@Test
	void leavingRemovesThePlaceOnce() {
		this.place.lookAgain();
		this.place.answerBehindOthers(0);
		this.place.leave();
		this.place.leave();
		assertThat(this.place.removals).isEqualTo(1);
		assertThat(this.place.watching).isFalse();
		assertThat(this.place.grant(new TestLease())).as("a grant that comes too late").isFalse();
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> this.place.attempt().toCompletableFuture().get());
	}

	@Test
	void whoIsToldOfTheEndFindsNothingLeft() {
		List<String> left = new ArrayList<>();
		this.place.attempt()
			.whenComplete(
					(lease, failure) -> left.add(this.place.removals + " removed, watching " + this.place.watching));
		this.place.lookAgain();
		this.place.answerBehindOthers(0);
		this.place.lookAgain();
		this.place.looks.get(1).completeExceptionally(new BackendException("denied", false, null));
		assertThat(left).containsExactly("1 removed, watching false");
	}

	@Test
	void leavingAfterTheGrantDoesNothing() {
		this.place.grant(new TestLease());
		this.place.leave();
		assertThat(this.place.removals).isZero();
	}

	@Test
	void attemptThatDoesNotWaitEndsWithoutALease() {
		this.place.refuse();
		assertThat(this.place.attempt()).isCompletedWithValue(null);
		assertThat(this.place.removals).isEqualTo(1);
	}

	private static final class TestPlace extends WatchingPlace {

		private final List<CompletableFuture<@Nullable Void>> looks = new ArrayList<>();

		private boolean taken = true;

		private boolean broken;

		private boolean watching;

		private int removals;

		private TestPlace() {
			super((failure) -> (Failures.unwrap(failure) instanceof BackendException backendException)
					? backendException : new BackendException("failed", false, failure));
		}

		void answerBehindOthers(int look) {
			stayBehindOthers();
			this.watching = !isOver();
			this.looks.get(look).complete(null);
		}

		void answerGranted(int look, Lease lease) {
			grant(lease);
			this.looks.get(look).complete(null);
		}

		@Override
		protected boolean isTaken() {
			return this.taken;
		}

		@Override
		protected CompletionStage<?> look() {
			if (this.broken) {
				throw new IllegalStateException("closed");
			}
			CompletableFuture<@Nullable Void> look = new CompletableFuture<>();
			this.looks.add(look);
			return look;
		}

		@Override
		protected void remove() {
			this.removals++;
		}

		@Override
		protected void stopWatching() {
			this.watching = false;
		}

	}

	private static final class TestLease implements Lease {

		@Override
		public LeaseTerm term() {
			return new LeaseTerm(0, Duration.ofSeconds(1));
		}

		@Override
		public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletionStage<Boolean> release() {
			return CompletableFuture.completedFuture(true);
		}

	}

}
