package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A writer that goes on reading, on a backend that answers late, never, or with an error.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
class DowngradeTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

	private static final LockRequest READ = LockRequest.of("k").withType(LockType.READ);

	private static final LockRequest WRITE = LockRequest.of("k").withType(LockType.WRITE);

	private final TrickyProvider provider = new TrickyProvider();

	private final DefaultLockTemplate template = node(Duration.ofSeconds(30));

	private final DefaultLockTemplate other = node(Duration.ofSeconds(30));

	private DefaultLockTemplate node(Duration renewalLeaseTime) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(renewalLeaseTime)
			.commandTimeout(COMMAND_TIMEOUT)
			.build();
	}

	@AfterEach
	void nothingIsLeft() {
		Leftovers.assertNone(this.template);
		Leftovers.assertNone(this.other);
		assertThat(this.provider.isFree("k")).isTrue();
		this.template.close();
		this.other.close();
	}

	@Test
	void othersReadWhenTheLastWriterHasLeft() throws Exception {
		LockHandle writer = this.template.acquire(WRITE);
		LockHandle again = this.template.acquire(WRITE);
		LockHandle reader = this.template.acquire(READ);
		writer.close();
		assertThat(this.other.tryAcquire(READ)).as("beside a writer").isEmpty();
		again.close();
		try (LockHandle beside = this.other.acquireAsync(READ).get(Patience.SECONDS, TimeUnit.SECONDS)) {
			assertThat(this.other.tryAcquire(WRITE)).isEmpty();
			assertThatIllegalStateException().isThrownBy(() -> this.template.acquire(WRITE))
				.withMessageContaining("is held for READ");
			this.template.acquire(READ).close();
			beside.ensureHeld();
			reader.ensureHeld();
			assertThat(reader.sequencer().orElseThrow().type()).isEqualTo(LockType.READ);
		}
		reader.close();
	}

	@Test
	void writerThatIsNotTheLastToLeaveChangesNothing() {
		LockHandle writer = this.template.acquire(WRITE);
		LockHandle reader = this.template.acquire(READ);
		reader.close();
		assertThat(this.other.tryAcquire(READ)).isEmpty();
		this.template.acquire(WRITE).close();
		writer.close();
	}

	@Test
	void lengthOfTheLeaseStaysWhatItWas() {
		LockHandle writer = this.template.acquire(WRITE.withLeaseTime(Duration.ofSeconds(5)));
		LockHandle reader = this.template.acquire(READ);
		writer.extend(Duration.ofMinutes(2));
		writer.close();
		assertThat(reader.remaining()).isBetween(Duration.ofSeconds(100), Duration.ofMinutes(2));
		reader.close();
	}

	@Test
	void answerThatIsLostIsAskedForAgain() {
		LockHandle writer = this.template.acquire(WRITE.withLeaseTime(Duration.ofSeconds(30)));
		LockHandle reader = this.template.acquire(READ);
		this.provider.renew.always(Trick.never());
		long start = System.nanoTime();
		writer.close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(COMMAND_TIMEOUT.multipliedBy(20));
		assertThat(this.other.tryAcquire(READ)).as("the backend was not told").isEmpty();
		this.provider.renew.behave();
		this.other.acquire(READ.withWaitTime(Patience.LIMIT)).close();
		reader.ensureHeld();
		reader.close();
	}

	@Test
	void answersThatAreLostThoughTheBackendActed() {
		LockHandle writer = this.template.acquire(WRITE.withLeaseTime(Duration.ofSeconds(30)));
		LockHandle reader = this.template.acquire(READ);
		this.provider.renew.always(Trick.losingTheAnswer());
		writer.close();
		this.other.acquire(READ.withWaitTime(Patience.LIMIT)).close();
		reader.ensureHeld();
		this.provider.renew.behave();
		reader.close();
	}

	/**
	 * What the writer asked for and the backend comes to late, when there is no writer
	 * any more, says nothing of the reader.
	 */
	@Test
	void lateAnswerToTheWriterIsNoLossOfTheReader() throws Exception {
		DefaultLockTemplate brief = node(Duration.ofSeconds(4));
		LockHandle writer = brief.acquire(WRITE);
		LockHandle reader = brief.acquire(READ);
		CompletableFuture<Void> opened = new CompletableFuture<>();
		CompletableFuture<Void> asked = new CompletableFuture<>();
		this.provider.renew.next((properly) -> {
			asked.complete(null);
			return opened.thenApply((ignored) -> null);
		});
		asked.get(Patience.SECONDS, TimeUnit.SECONDS);
		writer.close();
		this.other.acquire(READ.withWaitTime(Patience.LIMIT)).close();
		opened.complete(null);
		int sent = this.provider.renew.calls();
		Patience.await().until(() -> this.provider.renew.calls() > sent);
		reader.ensureHeld();
		reader.close();
		Leftovers.assertNone(brief);
		brief.close();
	}

	@Test
	void backendThatKnowsNothingOfTheWriterMeansLoss() {
		LockHandle writer = this.template.acquire(WRITE);
		LockHandle reader = this.template.acquire(READ);
		CompletableFuture<LockLostException> loss = new CompletableFuture<>();
		reader.onLost(loss::complete);
		this.provider.renew.next((properly) -> CompletableFuture.completedFuture(null));
		writer.close();
		assertThat(loss).succeedsWithin(Patience.LIMIT);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::ensureHeld);
		reader.close();
		this.provider.lastLease().release();
	}

	@Test
	void writerKeepsTheKeyForItsMinimum() {
		Duration minimum = Duration.ofSeconds(2);
		long start = System.nanoTime();
		LockHandle writer = this.template.acquire(WRITE.withHoldAtLeast(minimum));
		LockHandle reader = this.template.acquire(READ);
		writer.close();
		assertThat(this.other.tryAcquire(READ)).isEmpty();
		this.other.acquire(READ.withWaitTime(Patience.LIMIT)).close();
		assertThat(System.nanoTime() - start).isGreaterThan(minimum.toNanos() * 9 / 10);
		reader.ensureHeld();
		reader.close();
	}

	@Test
	void whereTheBackendCannotTheKeyStaysWithItsWriter() {
		this.provider.asReader.next((properly) -> Optional.empty());
		LockHandle writer = this.template.acquire(WRITE);
		LockHandle reader = this.template.acquire(READ);
		writer.close();
		assertThat(this.other.tryAcquire(READ)).isEmpty();
		this.template.acquire(WRITE).close();
		reader.close();
	}

	@Test
	void providerThatFailsOnAWriterHarmsOnlyThat() {
		this.provider.asReader.next(Trick.throwingError());
		assertThat(CompletableFuture.supplyAsync(() -> this.template.acquire(WRITE), Runnable::run))
			.failsWithin(Patience.LIMIT);
		this.template.acquire(WRITE).close();
	}

}
