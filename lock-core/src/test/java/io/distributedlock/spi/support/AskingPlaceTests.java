package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A place whose questions fail in every way still comes to the front.
 */
class AskingPlaceTests {

	private final Deque<Supplier<CompletionStage<Lease>>> answers = new ArrayDeque<>();

	private final AtomicInteger left = new AtomicInteger();

	private final Granted lease = new Granted();

	private AskingPlace take() {
		return AskingPlace.take(() -> this.answers.remove().get(), this.left::incrementAndGet, null);
	}

	@Test
	void questionThatThrowsDoesNotEndAPlaceThatIsKnown() {
		this.answers.add(AskingPlaceTests::behindOthers);
		this.answers.add(() -> {
			throw new BackendException("connection lost", true, null);
		});
		this.answers.add(() -> CompletableFuture.completedFuture(this.lease));
		AskingPlace place = take();
		place.lookAgain();
		assertThat(place.granted().toCompletableFuture()).isNotDone();
		place.lookAgain();
		assertThat(place.granted().toCompletableFuture()).isCompletedWithValue(this.lease);
		assertThat(this.left).hasValue(0);
	}

	@Test
	void placeWhoseLastQuestionFailedIsNotKnownToBeBehindOthers() {
		this.answers.add(AskingPlaceTests::behindOthers);
		this.answers.add(() -> CompletableFuture.failedFuture(new BackendException("unreachable", true, null)));
		this.answers.add(AskingPlaceTests::behindOthers);
		AskingPlace place = take();
		assertThat(place.isBehindOthers()).isTrue();
		place.lookAgain();
		assertThat(place.isBehindOthers()).isFalse();
		place.lookAgain();
		assertThat(place.isBehindOthers()).isTrue();
	}

	@Test
	void questionThatThrowsAnErrorIsAFailureAndNotTheEndOfAsking() {
		this.answers.add(() -> {
			throw new NoClassDefFoundError("com/example/client/Codec");
		});
		AskingPlace place = take();
		assertThat(place.granted().toCompletableFuture()).isCompletedExceptionally();
		assertThat(this.left).hasValue(1);
	}

	@Test
	void questionThatIsAnsweredWithNoStageIsAFailure() {
		this.answers.add(() -> null);
		AskingPlace place = take();
		assertThat(place.granted().toCompletableFuture()).isCompletedExceptionally();
	}

	@Test
	void listeningThatThrowsOnlyCostsTheMessages() {
		this.answers.add(AskingPlaceTests::behindOthers);
		this.answers.add(() -> CompletableFuture.completedFuture(this.lease));
		AskingPlace place = AskingPlace.take(() -> this.answers.remove().get(), this.left::incrementAndGet,
				(message) -> {
					throw new NoClassDefFoundError("com/example/client/PubSub");
				});
		place.lookAgain();
		assertThat(place.granted().toCompletableFuture()).isCompletedWithValue(this.lease);
	}

	@Test
	void messageWhileAQuestionIsUnderWayIsAskedForAgain() {
		CompletableFuture<Lease> slow = new CompletableFuture<>();
		Runnable[] message = new Runnable[1];
		this.answers.add(AskingPlaceTests::behindOthers);
		this.answers.add(() -> slow);
		this.answers.add(() -> CompletableFuture.completedFuture(this.lease));
		AskingPlace place = AskingPlace.take(() -> this.answers.remove().get(), this.left::incrementAndGet,
				(onMessage) -> {
					message[0] = onMessage;
					return () -> {
					};
				});
		place.lookAgain();
		message[0].run();
		slow.complete(null);
		assertThat(place.granted().toCompletableFuture()).isCompletedWithValue(this.lease);
	}

	@Test
	void answerThatIsGivenTwiceCountsOnce() {
		CompletableFuture<Lease> twice = new CompletableFuture<>() {
			@Override
			public CompletableFuture<Lease> whenComplete(BiConsumer<? super Lease, ? super Throwable> action) {
				super.whenComplete(action);
				return super.whenComplete(action);
			}
		};
		twice.complete(this.lease);
		this.answers.add(() -> twice);
		AskingPlace place = take();
		assertThat(place.granted().toCompletableFuture()).isCompletedWithValue(this.lease);
		assertThat(this.lease.released).hasValue(0);
	}

	private static CompletionStage<Lease> behindOthers() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * A lease that counts its releases.
	 */
	private static final class Granted implements Lease {

		private final AtomicInteger released = new AtomicInteger();

		@Override
		public LeaseTerm term() {
			return new LeaseTerm(System.nanoTime(), Duration.ofMinutes(1));
		}

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletionStage<Boolean> release() {
			this.released.incrementAndGet();
			return CompletableFuture.completedFuture(true);
		}

	}

}
