package io.distributedlock.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.spi.Lease;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A template that closes leaves no call hanging, and takes nobody's word back.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ClosingTests {

	private final TrickyProvider provider = new TrickyProvider();

	private final DefaultLockTemplate template = template(Duration.ofSeconds(50));

	private DefaultLockTemplate template(Duration commandTimeout) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Duration.ofMinutes(5))
			.commandTimeout(commandTimeout)
			.build();
	}

	@Test
	void providerThatBlocksKeepsNoOtherFromBeingTold() {
		CountDownLatch end = new CountDownLatch(1);
		TrickyProvider blocking = new TrickyProvider("blocking");
		TrickyProvider healthy = new TrickyProvider("healthy");
		DefaultLockTemplate both = DefaultLockTemplate.builder()
			.provider(blocking)
			.provider(healthy)
			// longer than the test waits: only the release makes a key free
			.renewalLeaseTime(Duration.ofMinutes(10))
			.commandTimeout(Duration.ofMillis(300))
			.build();
		try {
			both.acquire(LockRequest.of("a").withProvider("blocking"));
			both.acquire(LockRequest.of("b").withProvider("healthy"));
			blocking.release.always(Trick.blocking(end));
			assertThat(CompletableFuture.runAsync(both::close, (task) -> new Thread(task, "closing").start()))
				.succeedsWithin(Patience.LIMIT);
			Patience.await().until(() -> healthy.isFree("b"));
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void threadsEndThoughAStepFails() {
		List<String> ended = new ArrayList<>();
		LockTemplateBuilder builder = DefaultLockTemplate.builder().provider(this.provider);
		builder.runtime((executor) -> (EngineRuntime) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { EngineRuntime.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("execute")) {
						throw new OutOfMemoryError("no room for a task");
					}
					ended.add(method.getName());
					return (method.getReturnType() == long.class) ? 0L : null;
				}));
		DefaultLockTemplate failing = builder.build();
		failing.acquire("k");
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(failing::close);
		assertThat(ended).endsWith("close");
		assertThat(failing.timers.size()).isZero();
	}

	@Test
	void acquisitionThatIsNotAnsweredEnds() {
		this.provider.acquire.always(Trick.never());
		CompletableFuture<LockHandle> acquired = this.template.acquireAsync(LockRequest.of("k"));
		CompletableFuture<LockHandle> several = this.template.acquireAsync(LockRequest.ofAll(List.of("a", "b")));
		CompletableFuture<LockHandle> blocking = CompletableFuture
			.supplyAsync(() -> this.template.acquire(LockRequest.of("blocking")));
		Patience.await().until(() -> this.provider.acquire.calls() == 3);
		this.template.close();
		assertClosed(acquired);
		assertClosed(several);
		assertClosed(blocking);
		Leftovers.assertNone(this.template);
	}

	/**
	 * Its lock would be lost at once.
	 */
	@Test
	void callThatIsGrantedWhileOthersAreEndedIsRefusedToo() {
		ScheduledByHand runtime = new ScheduledByHand();
		ScriptedProvider scripted = new ScriptedProvider(runtime::nanoTime);
		DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(scripted)
			.runtime((executor) -> runtime)
			.build();
		List<CompletableFuture<Lease>> answers = List.of(new CompletableFuture<>(), new CompletableFuture<>());
		scripted.attempts.addAll(answers);
		List<CompletableFuture<LockHandle>> calls = Stream.of("a", "b")
			.map((key) -> byHand.acquireAsync(LockRequest.of(key)))
			.toList();
		// whichever is ended first, the other one is granted then
		calls.forEach((call) -> call.whenComplete((handle, failure) -> answers
			.forEach((answer) -> answer.complete(scripted.lease(Duration.ofMinutes(1))))));
		byHand.close();
		calls.forEach(ClosingTests::assertClosed);
		assertThat(scripted.released).hasValue(2);
	}

	@Test
	void placeThatIsNotAnsweredEnds() {
		LockHandle held = this.template.acquire(LockRequest.of("k"));
		CompletableFuture<LockHandle> queued = OtherThread
			.call(() -> this.template.acquireAsync(LockRequest.of("k").withType(LockType.FAIR)));
		this.template.close();
		assertClosed(queued);
		assertThat(held.isValid()).isFalse();
		Leftovers.assertNone(this.template);
	}

	private static void assertClosed(CompletableFuture<LockHandle> acquired) {
		assertThat(acquired).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockNotAcquiredException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(Reason.CLOSED));
	}

	@Test
	void leaseThatComesAfterTheCloseIsReleased() {
		CompletableFuture<Void> opened = new CompletableFuture<>();
		this.provider.acquire.next(Trick.late(opened));
		CompletableFuture<LockHandle> acquired = this.template.acquireAsync(LockRequest.of("k"));
		this.template.close();
		assertClosed(acquired);
		opened.complete(null);
		Patience.await().until(() -> this.provider.isFree("k"));
	}

	@Test
	void extensionThatIsNotAnsweredEnds() {
		LockHandle handle = this.template.acquire("k");
		this.provider.renew.always(Trick.never());
		CompletableFuture<Void> async = handle.extendAsync(Duration.ofMinutes(1));
		CompletableFuture<Void> blocking = CompletableFuture.runAsync(() -> handle.extend(Duration.ofMinutes(2)),
				(task) -> new Thread(task).start());
		Patience.await().until(() -> this.provider.renew.calls() >= 1);
		this.template.close();
		assertThat(async).failsWithin(Patience.LIMIT);
		assertThat(blocking).failsWithin(Patience.LIMIT);
		Leftovers.assertNone(this.template);
	}

	@Test
	void holderThatClosesAfterTheTemplateIsNotLeftWaiting() {
		DefaultLockTemplate quick = template(Duration.ofSeconds(1));
		LockHandle first = quick.acquire("first");
		LockHandle second = quick.acquire("second");
		this.provider.release.always(Trick.never());
		quick.close();
		CompletableFuture<Void> closed = CompletableFuture.runAsync(first::close);
		assertThat(second.closeAsync()).succeedsWithin(Patience.LIMIT);
		assertThat(closed).succeedsWithin(Patience.LIMIT);
	}

	@Test
	void workThatGoesOnIsToldAndEndsForItsCaller() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CountDownLatch started = new CountDownLatch(1);
		CompletableFuture<String> result = this.template.executeAsync(LockRequest.of("k"), () -> {
			started.countDown();
			return work;
		});
		Patience.await().until(() -> started.getCount() == 0);
		this.template.close();
		work.complete("done");
		assertThat(result).succeedsWithin(Patience.LIMIT).isEqualTo("done");
		assertThat(this.provider.isFree("k")).isTrue();
	}

	/**
	 * Each lease is released once, by its holder or by the template: a second release
	 * finds nothing, which reads as if the lock had been lost.
	 */
	@Test
	void handleThatIsClosedMeanwhileIsNotReportedAsLost() throws Exception {
		for (int round = 0; round < 40; round++) {
			TrickyProvider own = new TrickyProvider();
			AtomicInteger foundNothing = new AtomicInteger();
			own.release.always((properly) -> properly.get().thenApply((stillOwned) -> {
				if (!stillOwned) {
					foundNothing.incrementAndGet();
				}
				return stillOwned;
			}));
			DefaultLockTemplate closing = DefaultLockTemplate.builder()
				.provider(own)
				.commandTimeout(Patience.LIMIT)
				.build();
			List<LockHandle> handles = new ArrayList<>();
			for (int i = 0; i < 30; i++) {
				String key = "k" + i;
				handles.add(OtherThread.call(() -> closing.acquire(key)));
			}
			CyclicBarrier start = new CyclicBarrier(2);
			CompletableFuture<Void> holders = CompletableFuture.runAsync(() -> {
				await(start);
				handles.forEach(LockHandle::close);
			});
			await(start);
			closing.close();
			holders.join();
			assertThat(foundNothing).as("releases that found nothing, round " + round).hasValue(0);
			assertThat(own.release.calls()).isEqualTo(30);
		}
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
