package io.distributedlock.engine;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.spi.BackendException;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Code of the user that blocks, on an executor of whatever kind, keeps nobody else
 * waiting.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SlowCallbacksTests {

	private final TrickyProvider provider = new TrickyProvider();

	private final CountDownLatch blocked = new CountDownLatch(1);

	private final ThreadPoolExecutor callerRuns = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS,
			new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());

	@AfterEach
	void unblock() {
		this.blocked.countDown();
		this.callerRuns.shutdownNow();
	}

	@Test
	void slowCallbackOnADirectExecutorDoesNotCostAnotherLock() {
		assertOtherLockIsKeptAndSignalledWhileACallbackBlocks(Runnable::run);
	}

	@Test
	void slowCallbackOnAnExecutorWhoseCallerRunsDoesNotCostAnotherLock() {
		this.callerRuns.execute(this::block);
		assertOtherLockIsKeptAndSignalledWhileACallbackBlocks(this.callerRuns);
	}

	@Test
	void executorThatBlocksDoesNotCostAnotherLock() {
		assertOtherLockIsKeptAndSignalledWhileACallbackBlocks((task) -> {
			block();
			task.run();
		});
	}

	/**
	 * A lock is lost at a renewal, and another one through the message of its backend.
	 */
	private void assertOtherLockIsKeptAndSignalledWhileACallbackBlocks(Executor executor) {
		// they are renewed each second
		this.provider.over = 0.8;
		try (DefaultLockTemplate template = template(executor)) {
			LockHandle first = template.acquire("first");
			AtomicInteger blocking = new AtomicInteger();
			first.onLost((loss) -> {
				blocking.incrementAndGet();
				block();
			});
			this.provider.lastLease().renewal.set(Trick.answering(null));
			Patience.await().until(() -> !first.isValid());
			LockHandle other = template.acquire("other");
			int sent = this.provider.renew.calls();
			Patience.await().until(() -> {
				other.ensureHeld();
				return this.provider.renew.calls() >= sent + 4;
			});
			this.provider.lastLease().renewal.set(Trick.answering(null));
			Patience.await().until(() -> !other.isValid());
			this.blocked.countDown();
			first.close();
			other.close();
			Leftovers.assertNone(template);
		}
	}

	@Test
	void lossIsSignalledWhileAnotherSignalBlocks() {
		try (DefaultLockTemplate template = template(null)) {
			LockHandle first = template.acquire("first");
			first.onLost((loss) -> block());
			this.provider.lastLease().lose();
			LockHandle other = template.acquire("other");
			AtomicReference<LockLostException> told = new AtomicReference<>();
			other.onLost(told::set);
			this.provider.lastLease().lose();
			Patience.await().until(() -> told.get() != null);
			this.blocked.countDown();
		}
	}

	@Test
	void lossIsSignalledThoughTheExecutorIsBusy() throws Exception {
		ThreadPoolExecutor busy = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		List<String> told = new CopyOnWriteArrayList<>();
		try (DefaultLockTemplate template = template(busy,
				LockListener.of(LockEvent.Lost.class, (loss) -> told.add("event")))) {
			busy.execute(this::block);
			// not renewed, which would make it expire once more
			LockHandle lock = template.acquire(LockRequest.of("k").withLeaseTime(Duration.ofMinutes(1)));
			lock.onExpiring(Duration.ofMinutes(5), () -> told.add("expiry"));
			Patience.await().until(() -> told.contains("expiry"));
			lock.onLost((loss) -> told.add("loss"));
			this.provider.lastLease().lose();
			Patience.await().until(() -> told.containsAll(List.of("event", "loss")));
			this.blocked.countDown();
			busy.shutdown();
			assertThat(busy.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
			assertThat(told).as("not again by the executor").containsExactlyInAnyOrder("expiry", "event", "loss");
			lock.close();
			Leftovers.assertNone(template);
		}
		finally {
			busy.shutdownNow();
		}
	}

	@Test
	void closeOfTheTemplateIsSignalledThoughTheExecutorIsBusy() {
		ThreadPoolExecutor busy = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		List<String> told = new CopyOnWriteArrayList<>();
		try {
			DefaultLockTemplate template = template(busy,
					LockListener.of(LockEvent.Lost.class, (loss) -> told.add("event")));
			busy.execute(this::block);
			template.acquire("k").onLost((loss) -> told.add("loss"));
			template.close();
			Patience.await().until(() -> told.containsAll(List.of("event", "loss")));
		}
		finally {
			this.blocked.countDown();
			busy.shutdownNow();
		}
	}

	@Test
	void outageIsSignalledThoughTheExecutorIsBusy() {
		ThreadPoolExecutor busy = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		CountDownLatch told = new CountDownLatch(1);
		this.provider.acquire.always(Trick.throwing(SlowCallbacksTests::unreachable));
		this.provider.ping.always(Trick.throwing(SlowCallbacksTests::unreachable));
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.commandTimeout(Duration.ofMillis(100))
			.executor(busy)
			.listener(LockListener.of(LockEvent.OutageBegan.class, (outage) -> told.countDown()))
			.build()) {
			busy.execute(this::block);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("k"));
			Patience.await().until(() -> told.getCount() == 0);
			this.blocked.countDown();
		}
		finally {
			busy.shutdownNow();
		}
	}

	/**
	 * On all threads that a template has instead of an executor.
	 */
	@Test
	void workThatBlocksEveryThreadKeepsNobodyElseWaiting() {
		AtomicInteger working = new AtomicInteger();
		AtomicReference<LockLostException> told = new AtomicReference<>();
		try (DefaultLockTemplate template = template(null)) {
			LockHandle lost = template.acquire("lost");
			lost.onLost(told::set);
			for (int i = 0; i < 512; i++) {
				template.executeAsync(LockRequest.of("k" + i), () -> {
					working.incrementAndGet();
					block();
					return CompletableFuture.completedFuture("done");
				});
			}
			Patience.await().until(() -> working.get() == 512);
			this.provider.leases.get(0).lose();
			Patience.await().until(() -> told.get() != null);
			assertThat(template.executeAsync(LockRequest.ofAll(List.of("a", "b")).withWaitTime(Duration.ZERO),
					() -> CompletableFuture.completedFuture("done")))
				.failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withMessageContaining("no thread of the executor");
			assertThat(this.provider.isFree("a") && this.provider.isFree("b")).isTrue();
			this.blocked.countDown();
			lost.close();
			Leftovers.assertNone(template);
		}
	}

	/**
	 * A listener that is being told waits for the executor only once.
	 */
	@Test
	void manyLossesAreSignalledThoughTheExecutorIsBusy() {
		ThreadPoolExecutor busy = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch slow = new CountDownLatch(1);
		CountDownLatch told = new CountDownLatch(300);
		try (DefaultLockTemplate template = template(busy, LockListener.of(LockEvent.Lost.class, (loss) -> {
			begun.countDown();
			block(slow);
			told.countDown();
		}))) {
			busy.execute(this::block);
			for (int i = 0; i < 300; i++) {
				template.acquire("k" + i);
			}
			this.provider.lastLease().lose();
			Patience.await().until(() -> begun.getCount() == 0);
			this.provider.leases.forEach(TrickyProvider.TrickyLease::lose);
			slow.countDown();
			Patience.await().until(() -> told.getCount() == 0);
			Patience.await().untilAsserted(() -> assertThat(busy.getQueue()).hasSize(1));
		}
		finally {
			this.blocked.countDown();
			busy.shutdownNow();
		}
	}

	@Test
	void listenerThatBlocksDelaysNoFuture() {
		ThreadPoolExecutor few = new ThreadPoolExecutor(3, 3, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		AtomicInteger blocking = new AtomicInteger();
		try (DefaultLockTemplate template = template(few, (event) -> {
			blocking.incrementAndGet();
			block();
		})) {
			for (int i = 0; i < 5; i++) {
				LockHandle lost = template.acquire("lost " + i);
				this.provider.lastLease().lose();
				assertThat(template.acquireAsync(LockRequest.of("k" + i))).succeedsWithin(Patience.LIMIT)
					.satisfies(LockHandle::close);
				lost.close();
			}
			Patience.await().until(() -> blocking.get() == 2);
			this.blocked.countDown();
			Patience.await().until(() -> blocking.get() > 2);
		}
		finally {
			few.shutdownNow();
		}
	}

	@Test
	void crowdOnADirectExecutorIsServed() throws Exception {
		int crowd = 5000;
		try (DefaultLockTemplate template = template(Runnable::run)) {
			LockRequest patient = LockRequest.of("k").withWaitTime(Duration.ofMinutes(5));
			int[] unguarded = new int[1];
			LockHandle held = OtherThread.call(() -> template.acquire("k"));
			List<CompletableFuture<Void>> served = new ArrayList<>();
			for (int i = 0; i < crowd; i++) {
				served.add(template.acquireAsync(patient).thenAccept((handle) -> {
					unguarded[0]++;
					handle.close();
				}));
			}
			held.close();
			for (CompletableFuture<Void> each : served) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
			assertThat(unguarded[0]).isEqualTo(crowd);
			Leftovers.assertNone(template);
		}
	}

	@Test
	void executorThatFailsDoesNotCostTheLock() {
		for (Executor failing : List.<Executor>of((task) -> {
			throw new IllegalStateException("the executor is misconfigured");
		}, (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		}, (task) -> {
			task.run();
			throw new IllegalStateException("after the task");
		})) {
			try (DefaultLockTemplate template = template(failing)) {
				CompletableFuture<LockHandle> acquired = OtherThread
					.call(() -> template.acquireAsync(LockRequest.of("k")));
				assertThat(acquired).succeedsWithin(Patience.LIMIT);
				AtomicReference<LockLostException> told = new AtomicReference<>();
				acquired.join().onLost(told::set);
				this.provider.lastLease().lose();
				Patience.await().until(() -> told.get() != null);
				acquired.join().close();
				Leftovers.assertNone(template);
			}
		}
	}

	@Test
	void manyLossesAtOnceNeedABoundedNumberOfThreads() {
		int locks = 2000;
		AtomicInteger told = new AtomicInteger();
		try (DefaultLockTemplate template = template(null)) {
			for (int i = 0; i < locks; i++) {
				String key = "k" + i;
				LockHandle handle = OtherThread.call(() -> template.acquire(key));
				handle.onLost((loss) -> {
					pause();
					told.incrementAndGet();
				});
			}
			ThreadMXBean threads = ManagementFactory.getThreadMXBean();
			threads.resetPeakThreadCount();
			int before = threads.getThreadCount();
			this.provider.leases.forEach(TrickyProvider.TrickyLease::lose);
			Patience.await().until(() -> told.get() == locks);
			assertThat(threads.getPeakThreadCount() - before).as("more threads than before").isLessThan(1600);
		}
	}

	@Test
	void errorOfACallbackKeepsNothingFromBeingTold() {
		AtomicInteger told = new AtomicInteger();
		try (DefaultLockTemplate template = template(null)) {
			// not renewed, which would make it expire once more
			LockHandle handle = template.acquire(LockRequest.of("k").withLeaseTime(Duration.ofMinutes(1)));
			handle.onLost((loss) -> {
				throw new NoClassDefFoundError("com/example/Alarm");
			});
			handle.onLost((loss) -> told.incrementAndGet());
			handle.onExpiring(Duration.ofMinutes(5), () -> {
				throw new NoClassDefFoundError("com/example/Warning");
			});
			handle.onExpiring(Duration.ofMinutes(5), told::incrementAndGet);
			Patience.await().until(() -> told.get() == 1);
			this.provider.lastLease().lose();
			Patience.await().until(() -> told.get() == 2);
			handle.close();
			Leftovers.assertNone(template);
		}
	}

	private DefaultLockTemplate template(Executor executor, LockListener... listeners) {
		LockTemplateBuilder builder = DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Duration.ofSeconds(20))
			.renewalLeaseTime(Duration.ofMinutes(1))
			.commandTimeout(Duration.ofSeconds(5));
		List.of(listeners).forEach(builder::listener);
		return ((executor != null) ? builder.executor(executor) : builder).build();
	}

	private static BackendException unreachable() {
		return new BackendException("unreachable", true, null);
	}

	private void block() {
		block(this.blocked);
	}

	private static void block(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void pause() {
		LockSupport.parkNanos(100_000_000);
	}

}
