package io.distributedlock.examples;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockTypesExampleTests extends OnEveryProvider {

	@Test
	void readersShareAndWritersDoNot() throws Exception {
		ConfigurableApplicationContext first = node(Catalog.class, ObservedBooks.class);
		ConfigurableApplicationContext second = node(Catalog.class, ObservedBooks.class);
		CountDownLatch bothRead = new CountDownLatch(2);
		first.getBean(ObservedBooks.class).whileReading(() -> meet(bothRead));
		second.getBean(ObservedBooks.class).whileReading(() -> meet(bothRead));
		CompletableFuture<?> reader = inThread(() -> first.getBean(Catalog.class).titles("novels"));
		second.getBean(Catalog.class).titles("novels");
		reader.get(Patience.SECONDS, TimeUnit.SECONDS);
		second.getBean(Catalog.class).add("novels", "Emma");
	}

	@Test
	void readerMustNotBecomeAWriter() {
		ConfigurableApplicationContext node = node(Catalog.class, ObservedBooks.class);
		Catalog catalog = node.getBean(Catalog.class);
		node.getBean(ObservedBooks.class).whileReading(() -> catalog.add("novels", "Emma"));
		assertThatIllegalStateException().isThrownBy(() -> catalog.titles("novels")).withMessageContaining("READ");
	}

	@Test
	void fairWaitersAreServedInTheirOrder() throws Exception {
		ConfigurableApplicationContext first = node(Tickets.class, RecordingBoxOffice.class);
		ConfigurableApplicationContext second = node(Tickets.class, RecordingBoxOffice.class);
		LockRequest fair = LockRequest.of("concert").withName("tickets").withType(LockType.FAIR);
		LockHandle held = locks(first).acquireAsync(fair).get(Patience.SECONDS, TimeUnit.SECONDS);
		RecordingBoxOffice.CUSTOMERS.clear();
		CompletableFuture<?> ann = inThread(() -> second.getBean(Tickets.class).sell("concert", "Ann"));
		awaitWaiting(second);
		awaitInLine(held.key());
		CompletableFuture<?> bob = inThread(() -> first.getBean(Tickets.class).sell("concert", "Bob"));
		awaitWaiting(first);
		assertThat(ann).isNotDone();
		assertThat(bob).isNotDone();
		held.close();
		CompletableFuture.allOf(ann, bob).get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(RecordingBoxOffice.CUSTOMERS).containsExactly("Ann", "Bob");
	}

	@Test
	void semaphoreAdmitsItsNumber() throws Exception {
		List<String> parallel = List.of("reports.parallel=2");
		List<Reports> nodes = List.of(node(parallel, Reports.class, CountingRenderer.class).getBean(Reports.class),
				node(parallel, Reports.class, CountingRenderer.class).getBean(Reports.class));
		CountingRenderer.MOST.set(0);
		CountingRenderer.twoAreInside = new CountDownLatch(2);
		CompletableFuture<?>[] calls = new CompletableFuture<?>[6];
		for (int i = 0; i < calls.length; i++) {
			Reports reports = nodes.get(i % 2);
			calls[i] = inThread(() -> reports.render("sales"));
		}
		CompletableFuture.allOf(calls).get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(CountingRenderer.MOST).hasValue(2);
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

	private static CompletableFuture<?> inThread(Runnable work) {
		return CompletableFuture.runAsync(work, (task) -> new Thread(task).start());
	}

	private static void awaitWaiting(ConfigurableApplicationContext node) {
		DefaultLockTemplate template = node.getBean(DefaultLockTemplate.class);
		Patience.await().until(() -> !template.activity().waiting().isEmpty());
	}

	/**
	 * Wait until the backend knows of somebody who waits. Only Redis tells a test.
	 */
	private void awaitInLine(String key) {
		if (this.provider.startsWith("redis")) {
			Patience.await().until(() -> Long.valueOf(1).equals(askRedis("LLEN", "{%s}:line".formatted(key))));
		}
		else {
			Patience.await().pollDelay(300, TimeUnit.MILLISECONDS).until(() -> true);
		}
	}

	private static void meet(CountDownLatch latch) {
		latch.countDown();
		try {
			assertThat(latch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class ObservedBooks implements Catalog.Books {

		private final Map<String, List<String>> shelves = new ConcurrentHashMap<>();

		private Runnable whileReading = () -> {
		};

		void whileReading(Runnable action) {
			this.whileReading = action;
		}

		@Override
		public List<String> titles(String shelf) {
			this.whileReading.run();
			return this.shelves.getOrDefault(shelf, List.of());
		}

		@Override
		public void add(String shelf, String title) {
			this.shelves.computeIfAbsent(shelf, (name) -> new CopyOnWriteArrayList<>()).add(title);
		}

	}

	static class RecordingBoxOffice implements Tickets.BoxOffice {

		static final List<String> CUSTOMERS = new CopyOnWriteArrayList<>();

		@Override
		public void sell(String event, String customer) {
			CUSTOMERS.add(customer);
		}

	}

	static class CountingRenderer implements Reports.Renderer {

		static final AtomicInteger RUNNING = new AtomicInteger();

		static final AtomicInteger MOST = new AtomicInteger();

		static volatile CountDownLatch twoAreInside = new CountDownLatch(0);

		@Override
		public void render(String report) {
			MOST.accumulateAndGet(RUNNING.incrementAndGet(), Math::max);
			meet(twoAreInside);
			Patience.await().pollDelay(50, TimeUnit.MILLISECONDS).until(() -> true);
			RUNNING.decrementAndGet();
		}

	}

}
