package io.distributedlock.examples;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class KindsExampleTests extends OnEveryProvider {

	@Test
	void readersShareAndWritersDoNot() throws Exception {
		ConfigurableApplicationContext first = node(Catalog.class);
		ConfigurableApplicationContext second = node(Catalog.class);
		CountDownLatch bothRead = new CountDownLatch(2);
		CompletableFuture<Boolean> reader = CompletableFuture
			.supplyAsync(() -> first.getBean(Catalog.class).read("books", () -> meet(bothRead)));
		assertThat(second.getBean(Catalog.class).read("books", () -> meet(bothRead))).isTrue();
		assertThat(reader.get(10, TimeUnit.SECONDS)).isTrue();
		second.getBean(Catalog.class).write("books");
	}

	@Test
	void readerMustNotBecomeAWriter() {
		Catalog catalog = node(Catalog.class).getBean(Catalog.class);
		assertThatIllegalStateException().isThrownBy(() -> catalog.read("books", () -> {
			catalog.write("books");
			return true;
		})).withMessageContaining("Release the read lock first");
	}

	@Test
	void fairWaitersAreServedInTheirOrder() throws Exception {
		LockTemplate first = locks(node(Tickets.class));
		LockTemplate second = locks(node(Tickets.class));
		LockRequest fair = LockRequest.of("tickets").withType(LockType.FAIR);
		LockHandle held = first.acquireAsync(fair).get(10, TimeUnit.SECONDS);
		List<String> served = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> one = second
			.executeAsync(fair, () -> CompletableFuture.completedFuture(served.add("1")))
			.thenAccept((ignored) -> {
			});
		org.awaitility.Awaitility.await().pollDelay(300, TimeUnit.MILLISECONDS).until(() -> !one.isDone());
		CompletableFuture<Void> two = first.executeAsync(fair, () -> CompletableFuture.completedFuture(served.add("2")))
			.thenAccept((ignored) -> {
			});
		org.awaitility.Awaitility.await().pollDelay(300, TimeUnit.MILLISECONDS).until(() -> !two.isDone());
		held.close();
		CompletableFuture.allOf(one, two).get(10, TimeUnit.SECONDS);
		assertThat(served).containsExactly("1", "2");
	}

	@Test
	void semaphoreAdmitsItsNumber() throws Exception {
		List<Reports> nodes = List.of(node(List.of("reports.parallel=2"), Reports.class).getBean(Reports.class),
				node(List.of("reports.parallel=2"), Reports.class).getBean(Reports.class));
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CompletableFuture<?>[] calls = new CompletableFuture<?>[6];
		for (int i = 0; i < calls.length; i++) {
			Reports reports = nodes.get(i % 2);
			calls[i] = CompletableFuture.runAsync(() -> reports.render(() -> {
				most.accumulateAndGet(running.incrementAndGet(), Math::max);
				org.awaitility.Awaitility.await().pollDelay(50, TimeUnit.MILLISECONDS).until(() -> true);
				running.decrementAndGet();
			}), (task) -> new Thread(task).start());
		}
		CompletableFuture.allOf(calls).get(30, TimeUnit.SECONDS);
		assertThat(most.get()).isEqualTo(2);
	}

	@Test
	void readWriteLockForCodeThatKnowsJavaUtilConcurrent() {
		LockTemplate lockTemplate = locks(node());
		ReadWriteLock catalog = lockTemplate.asReadWriteLock(LockRequest.of("catalog"));
		catalog.writeLock().lock();
		try {
			assertThat(catalog.readLock().tryLock()).isTrue();
			catalog.readLock().unlock();
			assertThat(CompletableFuture.supplyAsync(() -> catalog.readLock().tryLock()).join()).isFalse();
		}
		finally {
			catalog.writeLock().unlock();
		}
	}

	@Test
	void writerGoesOnAsAReader() throws Exception {
		LockTemplate lockTemplate = locks(node());
		List<String> books = new CopyOnWriteArrayList<>();
		ReadWriteLock catalog = lockTemplate.asReadWriteLock(LockRequest.of("catalog"));
		catalog.writeLock().lock();
		try {
			books.add("new");
			catalog.readLock().lock();
		}
		finally {
			catalog.writeLock().unlock();
		}
		try {
			publish(books);
		}
		finally {
			catalog.readLock().unlock();
		}
	}

	private void publish(List<String> books) throws Exception {
		assertThat(books).containsExactly("new");
		LockRequest read = LockRequest.of("catalog").withType(LockType.READ);
		locks(node()).acquireAsync(read).get(10, TimeUnit.SECONDS).close();
	}

	private static boolean meet(CountDownLatch latch) {
		latch.countDown();
		try {
			return latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Catalog {

		@DistributedLock(name = "catalog", key = "#shelf", type = LockType.READ)
		public boolean read(String shelf, java.util.function.Supplier<Boolean> work) {
			return work.get();
		}

		@DistributedLock(name = "catalog", key = "#shelf", type = LockType.WRITE)
		public void write(String shelf) {
		}

	}

	static class Tickets {

		@DistributedLock(type = LockType.FAIR)
		public void next() {
		}

	}

	static class Reports {

		@DistributedSemaphore(permits = "${reports.parallel}", waitTime = "30s")
		public void render(Runnable work) {
			work.run();
		}

	}

}
