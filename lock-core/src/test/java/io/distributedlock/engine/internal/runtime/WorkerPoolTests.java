package io.distributedlock.engine.internal.runtime;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.distributedlock.engine.ThreadlessThread;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A task that blocks delays no other, and no task is lost.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class WorkerPoolTests {

	private final String name = "pool-" + System.nanoTime();

	private final WorkerPool workers = new WorkerPool(this.name);

	private final Set<Thread> used = ConcurrentHashMap.newKeySet();

	private final AtomicInteger ran = new AtomicInteger();

	@AfterEach
	void close() {
		this.workers.release();
	}

	@Test
	void taskRunsThoughManyBlock() {
		CountDownLatch blocked = new CountDownLatch(1);
		for (int i = 0; i < 200; i++) {
			this.workers.execute(() -> awaitUninterruptibly(blocked));
		}
		this.workers.execute(this.ran::incrementAndGet);
		awaitRuns(1);
		assertThat(blocked.getCount()).isEqualTo(1);
		blocked.countDown();
	}

	/**
	 * One more than there are idle threads, faster than these wake up.
	 */
	@Test
	void tasksThatComeAtOnceWaitForNoneOfEachOther() {
		for (int tasks = 2; tasks < 50; tasks++) {
			CountDownLatch begun = new CountDownLatch(tasks);
			for (int i = 0; i < tasks; i++) {
				this.workers.execute(() -> {
					begun.countDown();
					awaitUninterruptibly(begun);
				});
			}
			Patience.await().until(() -> begun.getCount() == 0);
		}
	}

	@Test
	void taskNeverRunsOnTheThreadThatBringsIt() {
		for (int i = 0; i < 5000; i++) {
			this.workers.execute(this::note);
		}
		awaitRuns(5000);
		assertThat(this.used).doesNotContain(Thread.currentThread());
		assertThat(this.used).hasSizeLessThanOrEqualTo(WorkerPool.MOST_THREADS);
	}

	@Test
	void noTaskIsLostOrRunTwiceUnderLoad() {
		int producers = 6;
		int tasks = 20_000;
		CompletableFuture<?>[] all = IntStream.range(0, producers).mapToObj((i) -> CompletableFuture.runAsync(() -> {
			for (int task = 0; task < tasks; task++) {
				this.workers.execute(this.ran::incrementAndGet);
			}
		}, (task) -> new Thread(task).start())).toArray(CompletableFuture<?>[]::new);
		CompletableFuture.allOf(all).join();
		awaitRuns(producers * tasks);
	}

	@Test
	void taskThatThrowsCostsNoThread() {
		for (int i = 0; i < 1000; i++) {
			this.workers.execute(() -> {
				this.ran.incrementAndGet();
				throw new NoClassDefFoundError("com/example/Task");
			});
		}
		this.workers.execute(this.ran::incrementAndGet);
		awaitRuns(1001);
	}

	@Test
	void whatComesAfterTheCloseStillRunsAndThreadsEnd() {
		this.workers.execute(this::note);
		awaitRuns(1);
		this.workers.release();
		for (int i = 0; i < 1000; i++) {
			this.workers.execute(this::note);
			if (i % 100 == 0) {
				int expected = i + 2;
				awaitRuns(expected);
			}
		}
		awaitRuns(1001);
		assertThat(this.used).doesNotContain(Thread.currentThread());
		Patience.await().until(() -> this.used.stream().noneMatch(Thread::isAlive));
	}

	@Test
	void whatWaitsWhenItIsClosedStillRuns() {
		CountDownLatch blocked = new CountDownLatch(1);
		for (int i = 0; i < 50; i++) {
			this.workers.execute(() -> awaitUninterruptibly(blocked));
		}
		this.workers.execute(this.ran::incrementAndGet);
		this.workers.release();
		awaitRuns(1);
		blocked.countDown();
	}

	@Test
	void taskForWhichThereWasNoThreadWhenItIsClosedStillRuns() throws InterruptedException {
		ThreadlessThread.run(() -> {
			this.workers.execute(this.ran::incrementAndGet);
			this.workers.release();
			this.workers.execute(this.ran::incrementAndGet);
		});
		awaitRuns(2);
	}

	@Test
	void threadsEndOnceNothingBlocksAnyMore() {
		CountDownLatch blocked = new CountDownLatch(1);
		for (int i = 0; i < 300; i++) {
			this.workers.execute(() -> {
				note();
				awaitUninterruptibly(blocked);
			});
		}
		awaitRuns(300);
		blocked.countDown();
		this.workers.release();
		Patience.await().until(() -> this.used.stream().noneMatch(Thread::isAlive));
	}

	@Test
	void taskThatComesWhenAnIdleThreadEndsIsNotLeftToOneThatBlocks() {
		CountDownLatch blocked = new CountDownLatch(1);
		this.workers.execute(() -> awaitUninterruptibly(blocked));
		// from now on a thread ends after a millisecond
		this.workers.release();
		for (int i = 1; i <= 1000; i++) {
			this.workers.execute(this.ran::incrementAndGet);
			long limit = System.nanoTime() + Patience.LIMIT.toNanos();
			while (this.ran.get() < i) {
				assertThat(System.nanoTime()).as("task %s", i).isLessThan(limit);
			}
			long next = System.nanoTime() + 900_000 + ThreadLocalRandom.current().nextLong(300_000);
			while (System.nanoTime() < next) {
				Thread.onSpinWait();
			}
		}
		blocked.countDown();
	}

	/**
	 * The pool may count on a thread that ends just then, and the JVM have no other.
	 */
	@Test
	void taskForWhichThereIsNoThreadRunsOnce() throws InterruptedException {
		int tasks = 2000;
		this.workers.release();
		ExecutorService starter = Executors.newSingleThreadExecutor();
		CompletableFuture.runAsync(this::note, starter).join();
		ThreadlessThread.run(() -> {
			for (int i = 0; i < tasks; i++) {
				CompletableFuture.runAsync(() -> this.workers.execute(this.ran::incrementAndGet), starter).join();
				long next = System.nanoTime() + 950_000 + ThreadLocalRandom.current().nextLong(200_000);
				while (System.nanoTime() < next) {
					Thread.onSpinWait();
				}
				this.workers.execute(this.ran::incrementAndGet);
			}
		});
		starter.shutdown();
		awaitRuns(1 + 2 * tasks);
		// one that is tried again comes after a tenth of a second
		Patience.await().pollDelay(Duration.ofMillis(500)).until(() -> true);
		assertThat(this.ran).hasValue(1 + 2 * tasks);
	}

	private void note() {
		this.used.add(Thread.currentThread());
		this.ran.incrementAndGet();
	}

	private void awaitRuns(int count) {
		Patience.await().until(() -> this.ran.get() >= count);
		assertThat(this.ran).hasValue(count);
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
