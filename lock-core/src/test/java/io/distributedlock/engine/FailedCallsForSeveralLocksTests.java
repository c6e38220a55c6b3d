package io.distributedlock.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.Lease;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A call for several locks that fails leaves nothing in the way of the next one, and says
 * what has happened to a lock that it had.
 */
@Timeout(120)
class FailedCallsForSeveralLocksTests {

	private static final LockRequest BOTH = LockRequest.ofAll(List.of("a", "b"));

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(5);

	private final ScheduledByHand runtime = new ScheduledByHand();

	private final ScriptedProvider scripted = new ScriptedProvider(this.runtime::nanoTime);

	private final DefaultLockTemplate byHand = DefaultLockTemplate.builder()
		.provider(this.scripted)
		.renewalLeaseTime(LEASE)
		.commandTimeout(COMMAND_TIMEOUT)
		.runtime((executor) -> this.runtime)
		.build();

	@Test
	void nextCallOfTheThreadDoesNotMeetTheLockThatWasTaken() {
		TrickyProvider provider = new TrickyProvider();
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Patience.LIMIT)
			.build()) {
			LockHandle held = template.acquire("b");
			CompletableFuture<Void> carriedOut = new CompletableFuture<>();
			provider.release.next(Trick.late(carriedOut));
			CompletableFuture<Boolean> next = new CompletableFuture<>();
			Thread caller = new Thread(() -> {
				boolean contended = template.tryAcquire(BOTH).isEmpty();
				next.complete(contended && template.tryAcquire("a").isPresent());
			});
			caller.start();
			Patience.await()
				.until(() -> next.isDone()
						|| (provider.release.calls() == 1 && caller.getState() == Thread.State.TIMED_WAITING));
			carriedOut.complete(null);
			assertThat(next).succeedsWithin(Patience.LIMIT).isEqualTo(true);
			held.close();
		}
	}

	@Test
	void futureDoesNotEndBeforeTheRelease() {
		CompletableFuture<Boolean> released = new CompletableFuture<>();
		this.scripted.releases.add(released);
		CompletableFuture<Optional<LockHandle>> call = contendedForTheSecond();
		assertThat(call).isNotDone();
		released.complete(true);
		assertThat(call).isCompletedWithValue(Optional.empty());
		assertThat(this.byHand.tryAcquireAsync(LockRequest.of("a")).join()).isPresent();
	}

	@Test
	void releaseWithoutAnAnswerDoesNotChangeHowTheCallEnds() {
		this.scripted.releases.add(ScriptedProvider.never());
		CompletableFuture<Optional<LockHandle>> call = contendedForTheSecond();
		runUntil(COMMAND_TIMEOUT);
		assertThat(call).isCompletedWithValue(Optional.empty());
	}

	private CompletableFuture<Optional<LockHandle>> contendedForTheSecond() {
		this.scripted.attempts.add(CompletableFuture.completedFuture(this.scripted.lease(LEASE)));
		this.scripted.attempts.add(ScriptedProvider.contended());
		return this.byHand.tryAcquireAsync(BOTH);
	}

	@Test
	void lockThatAnOutageTakesMeanwhileIsLostAndNotContended() {
		CompletableFuture<Lease> second = new CompletableFuture<>();
		this.scripted.attempts.add(CompletableFuture.completedFuture(this.scripted.lease(LEASE)));
		this.scripted.attempts.add(second);
		this.scripted.renewals.addAll(Collections.nCopies(100, ScriptedProvider::unreachable));
		CompletableFuture<LockHandle> call = this.byHand.acquireAsync(BOTH);
		for (Duration time = Duration.ZERO; time.compareTo(LEASE) <= 0; time = time.plusSeconds(1)) {
			runUntil(time);
		}
		second.complete(this.scripted.lease(LEASE));
		assertThat(call).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockLostException.class)
			.withMessageContaining("'a'");
		assertThat(this.scripted.renewed).hasPositiveValue();
		assertThat(this.scripted.released).hasValue(2);
	}

	private void runUntil(Duration time) {
		this.runtime.moveTo(time.toNanos());
		this.runtime.runTimers();
	}

}
