package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.patience.Patience;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static io.distributedlock.test.patience.Patience.await;

/**
 * A template that prepares for a shutdown: holders finish, nobody else begins.
 */
@Timeout(60)
class DrainTests {

	private final TrickyProvider provider = new TrickyProvider();

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(this.provider)
		.renewalLeaseTime(Duration.ofMinutes(1))
		.waitTime(Duration.ofMinutes(1))
		.build();

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void idleTemplateIsDrainedAtOnce() {
		assertThat(this.template.drain()).succeedsWithin(Patience.LIMIT);
	}

	@Test
	void holderFinishesWithItsLeaseRenewed() {
		CompletableFuture<Void> drained;
		// it is renewed each second
		this.provider.over = 0.8;
		try (LockHandle handle = this.template.acquire("k")) {
			drained = this.template.drain();
			int sent = this.provider.renew.calls();
			await().until(() -> this.provider.renew.calls() >= sent + 3);
			assertThat(handle.isValid()).isTrue();
			assertThat(drained).isNotDone();
		}
		assertThat(drained).succeedsWithin(Patience.LIMIT);
	}

	@Test
	void othersAreRefused() {
		LockHandle handle = this.template.acquire("k");
		CompletableFuture<LockHandle> waiting = OtherThread.call(() -> this.template.acquireAsync(LockRequest.of("k")));
		CompletableFuture<Object> blocked = CompletableFuture.supplyAsync(() -> this.template.acquire("k"),
				(task) -> new Thread(task, "blocked").start());
		await().until(() -> this.template.activity().waiting().size() == 2);
		CompletableFuture<Void> drained = this.template.drain();
		assertRefused(waiting::join);
		assertRefused(blocked::join);
		assertRefused(() -> OtherThread.call(() -> this.template.acquire("free")));
		assertRefused(OtherThread.call(() -> this.template.acquireAsync(LockRequest.of("free")))::join);
		handle.close();
		assertThat(drained).succeedsWithin(Patience.LIMIT);
	}

	@Test
	void holderMayAcquireWhatItNeedsToFinish() throws Exception {
		LockHandle outer = this.template.acquire("outer");
		CompletableFuture<Void> drained = this.template.drain();
		assertThat(this.template.<String, RuntimeException>execute("inner", () -> "inner")).isEqualTo("inner");
		assertThat(this.template.<String, RuntimeException>execute("outer", () -> "again")).isEqualTo("again");
		this.template.acquireAsync(LockRequest.of("later")).get(Patience.SECONDS, TimeUnit.SECONDS).close();
		outer.close();
		assertThat(drained).succeedsWithin(Patience.LIMIT);
		assertRefused(() -> this.template.acquire("k"));
	}

	/**
	 * The client closes after that, and could not release it any more.
	 */
	@Test
	void lockThatAnAttemptStillBringsIsReleasedBefore() {
		ScheduledByHand runtime = new ScheduledByHand();
		ScriptedProvider scripted = new ScriptedProvider(runtime::nanoTime);
		DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(scripted)
			.runtime((executor) -> runtime)
			.build();
		CompletableFuture<Lease> answer = new CompletableFuture<>();
		scripted.attempts.add(answer);
		CompletableFuture<LockHandle> call = byHand.acquireAsync(LockRequest.of("k"));
		CompletableFuture<Void> drained = byHand.drain();
		assertRefused(call::join);
		assertThat(drained).isNotDone();
		answer.complete(scripted.lease(Duration.ofMinutes(1)));
		assertThat(scripted.released).hasValue(1);
		runtime.moveTo(Duration.ofMillis(20).toNanos());
		runtime.runTimers();
		assertThat(drained).isCompleted();
		Leftovers.assertNone(byHand);
	}

	/**
	 * A provider may take its time to say whether it has a queue.
	 */
	@Test
	void nothingIsAskedForACallThatEndsBeforeItsAttempt() {
		this.provider.queues.next((properly) -> {
			assertThat(this.template.drain()).succeedsWithin(Patience.LIMIT);
			return false;
		});
		assertRefused(() -> this.template.acquire("k"));
		assertThat(this.provider.acquire.calls()).isZero();
	}

	@Test
	void callThatEndsWhileItBeginsToListenLeavesNothing() {
		ScheduledByHand runtime = new ScheduledByHand();
		AtomicReference<DefaultLockTemplate> draining = new AtomicReference<>();
		AtomicInteger left = new AtomicInteger();
		this.provider.acquire.next(Trick.answering(null));
		this.provider.listen.next((properly) -> {
			draining.get().drain();
			return left::incrementAndGet;
		});
		draining.set(DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Duration.ofMinutes(1))
			.runtime((executor) -> runtime)
			.build());
		assertRefused(draining.get().acquireAsync(LockRequest.of("k"))::join);
		assertThat(left).hasValue(1);
		Leftovers.assertNone(draining.get());
	}

	@Test
	void providerThatBlocksDelaysNoOtherCall() {
		CountDownLatch goOn = new CountDownLatch(1);
		DefaultLockTemplate blocking = DefaultLockTemplate.builder()
			.provider(new BlockedAtTheEnd(goOn))
			.waitTime(Duration.ofMinutes(1))
			.build();
		try {
			List<CompletableFuture<LockHandle>> calls = List.of(blocking.acquireAsync(LockRequest.of("a")),
					blocking.acquireAsync(LockRequest.of("b")));
			await().until(() -> blocking.activity().waiting().size() == 2);
			CompletableFuture<CompletableFuture<Void>> drained = CompletableFuture.supplyAsync(blocking::drain,
					(task) -> new Thread(task).start());
			assertThat(drained).succeedsWithin(Patience.LIMIT);
			calls.forEach((call) -> await().until(call::isDone));
			calls.forEach((call) -> assertRefused(call::join));
		}
		finally {
			goOn.countDown();
			blocking.close();
		}
	}

	@Test
	void templateThatResumesTakesCallsAgain() {
		assertThat(this.template.drain()).succeedsWithin(Patience.LIMIT);
		this.template.resume();
		assertThat(this.template.<String, RuntimeException>execute("k", () -> "done")).isEqualTo("done");
	}

	@Test
	void callThatIsCancelledBeforeItBeginsIsNotWaitedFor() {
		CompletableFuture<CompletableFuture<?>> call = new CompletableFuture<>();
		CompletableFuture<CompletableFuture<?>> drain = new CompletableFuture<>();
		AtomicInteger captured = new AtomicInteger();
		AtomicReference<DefaultLockTemplate> draining = new AtomicReference<>();
		draining.set(DefaultLockTemplate.builder().provider(new LocalLockProvider()).callerContext(() -> {
			// for the call, for its first lock, and for the second
			if (captured.incrementAndGet() == 3) {
				drain.complete(draining.get().drain());
				call.join().cancel(false);
			}
			return UnaryOperator.identity();
		}).build());
		call.complete(draining.get().acquireAsync(LockRequest.of("a").and(LockRequest.of("b"))));
		assertThat(drain.thenCompose((drained) -> drained)).succeedsWithin(Patience.LIMIT);
		Leftovers.assertNone(draining.get());
		draining.get().close();
	}

	private static void assertRefused(ThrowingCallable call) {
		assertThatExceptionOfType(Exception.class).isThrownBy(call)
			.satisfies((ex) -> assertThat((ex instanceof LockNotAcquiredException) ? ex : ex.getCause())
				.isInstanceOfSatisfying(LockNotAcquiredException.class,
						(refusal) -> assertThat(refusal.getReason()).isEqualTo(Reason.CLOSED)));
	}

	/**
	 * A backend whose keys others hold, and that takes its time to end a subscription.
	 */
	private record BlockedAtTheEnd(CountDownLatch goOn) implements LockProvider, ReleaseSignal {

		@Override
		public String name() {
			return "blocked";
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public Subscription listen(String key, Runnable onRelease) {
			return () -> await().until(() -> this.goOn.getCount() == 0);
		}

	}

}
