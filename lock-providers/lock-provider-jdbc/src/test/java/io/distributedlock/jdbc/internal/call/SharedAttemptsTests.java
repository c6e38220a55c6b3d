package io.distributedlock.jdbc.internal.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Attempts that come while another one for their key is under way.
 */
class SharedAttemptsTests {

	private final List<CompletableFuture<Lease>> answers = new ArrayList<>();

	private final SharedAttempts attempts = new SharedAttempts((request) -> {
		CompletableFuture<Lease> answer = new CompletableFuture<>();
		this.answers.add(answer);
		return answer;
	});

	@Test
	void attemptsOfOneTypeAreRefusedTogether() {
		make(LockType.FAIR);
		CompletionStage<Lease> one = make(LockType.FAIR);
		CompletionStage<Lease> another = make(LockType.FAIR);
		this.answers.get(0).complete(null);
		this.answers.get(1).complete(null);
		assertThat(one.toCompletableFuture()).isCompletedWithValue(null);
		assertThat(another.toCompletableFuture()).isCompletedWithValue(null);
		assertThat(this.answers).hasSize(2);
	}

	/**
	 * A place in the queue of the key refuses fair attempts, and no others.
	 */
	@Test
	void attemptIsNotRefusedWithOneOfAnotherType() {
		make(LockType.EXCLUSIVE);
		CompletionStage<Lease> exclusive = make(LockType.EXCLUSIVE);
		CompletionStage<Lease> fair = make(LockType.FAIR);
		this.answers.get(0).complete(null);
		this.answers.get(1).complete(null);
		assertThat(fair.toCompletableFuture()).isCompletedWithValue(null);
		assertThat(exclusive.toCompletableFuture()).isNotDone();
		assertThat(this.answers).hasSize(3);
	}

	/**
	 * While others keep coming, an attempt that was not refused is made nevertheless.
	 */
	@Test
	void permitThatIsGrantedDoesNotPostponeTheOtherAttempts() {
		make(LockType.SEMAPHORE);
		List<CompletionStage<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			waiting.add(make(LockType.SEMAPHORE));
			make(LockType.SEMAPHORE);
			this.answers.get(i).complete(permit());
		}
		assertThat(waiting.subList(0, 2)).allMatch((each) -> each.toCompletableFuture().isDone());
	}

	@Test
	void attemptThatWasPostponedIsRefusedTogetherWithOthers() {
		make(LockType.EXCLUSIVE);
		CompletionStage<Lease> one = make(LockType.EXCLUSIVE);
		CompletionStage<Lease> another = make(LockType.EXCLUSIVE);
		make(LockType.FAIR);
		for (int i = 0; i < 3; i++) {
			this.answers.get(i).complete(null);
		}
		assertThat(one.toCompletableFuture()).isCompletedWithValue(null);
		assertThat(another.toCompletableFuture()).isCompletedWithValue(null);
		assertThat(this.answers).hasSize(3);
	}

	private static Lease permit() {
		LeaseRequest request = new LeaseRequest("k", Duration.ofMinutes(5), LockType.SEMAPHORE);
		return Objects.requireNonNull(new LocalLockProvider().tryAcquire(request).toCompletableFuture().join());
	}

	private CompletionStage<Lease> make(LockType type) {
		return this.attempts.make("k", new LeaseRequest("k", Duration.ofMinutes(5), type));
	}

}
