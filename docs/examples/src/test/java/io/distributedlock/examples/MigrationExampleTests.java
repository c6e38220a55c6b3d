package io.distributedlock.examples;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.spring.integration.LockTemplateLockRegistry;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code of docs/migration.
 */
class MigrationExampleTests extends OnEveryProvider {

	/**
	 * What the pages say about properties of the other libraries.
	 */
	private static final List<String> PROPERTIES = List.of("lock.wait-time=3s", "lock.lease-time=60s",
			"lock.renewal.lease-time=30s", "lock.spel.bean-references=true", "lock.poll-interval=100ms",
			"lock.interop.polling=100ms", "reports.hourly=0 0 * * * *");

	private LockTemplate otherNode;

	@BeforeEach
	void startOtherNode() {
		this.otherNode = locks(node());
	}

	@Test
	void fromLock4j() {
		FromLock4j bean = node(PROPERTIES, FromLock4j.class).getBean(FromLock4j.class);
		try (LockHandle other = hold("A.7", "seat")) {
			assertThat(bean.reserve("A", 7)).isEqualTo("somebody else is faster");
			assertThat(bean.reserve("A", 8)).isEqualTo("reserved");
			assertThat(other.isValid()).isTrue();
		}
		assertThat(bean.submit("ann")).isEqualTo("submitted");
		assertThatExceptionOfType(LockNotAcquiredException.class).as("a second click, also on the same thread")
			.isThrownBy(() -> bean.submit("ann"));
		assertThat(bean.settle("42", () -> assertThat(isFree("42", "order")).isFalse())).isTrue();
	}

	@Test
	void fromKlock() {
		FromKlock bean = node(PROPERTIES, FromKlock.class).getBean(FromKlock.class);
		assertThat(bean.write(new FromKlock.Customer(7), "May")).isEqualTo("written");
		try (LockHandle other = hold("usd", "rate")) {
			assertThat(bean.rate("usd")).isEqualTo("computed beside another call");
			assertThat(other.isValid()).isTrue();
		}
		assertThat(bean.rate("usd")).isEqualTo("computed once");
	}

	@Test
	void fromShedLock() {
		ConfigurableApplicationContext node = node(PROPERTIES, FromShedLock.class, CountingReports.class);
		FromShedLock bean = node.getBean(FromShedLock.class);
		AtomicInteger written = node.getBean(CountingReports.class).written;
		bean.importFrom("north");
		assertThat(written).hasValue(2);
		bean.importFrom("north");
		assertThat(written).as("without a minimum the next run is due at once").hasValue(4);
		bean.write();
		bean.write();
		bean.writeUnderBoth();
		assertThat(written).as("one lock, which stays for its minimum").hasValue(5);
	}

	@Test
	void fromRedisson() {
		ConfigurableApplicationContext node = node(FromRedisson.class);
		FromRedisson bean = node.getBean(FromRedisson.class);
		assertThat(bean.take("a")).isEqualTo("taken");
		bean.move("a", "b", () -> {
			assertThat(LockContext.find()).isPresent();
			assertThat(isFree("a", "stock")).isFalse();
			assertThat(isFree("b", "stock")).isFalse();
		});
		Lock stock = bean.lock("a");
		stock.lock();
		try {
			assertThat(isFree("a", "stock")).isFalse();
		}
		finally {
			stock.unlock();
		}
		Lock reading = bean.shelf("novels").readLock();
		reading.lock();
		try {
			assertThat(reading.tryLock()).isTrue();
			reading.unlock();
		}
		finally {
			reading.unlock();
		}
		bean.permit().thenAccept(LockHandle::close).orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

	@Test
	void fromSpringIntegration() throws Exception {
		ConfigurableApplicationContext node = node(FromSpringIntegration.class);
		FromSpringIntegration.Files files = node.getBean(FromSpringIntegration.Files.class);
		LockTemplateLockRegistry registry = node.getBean(LockTemplateLockRegistry.class);
		assertThat(files.load("a.csv")).isEqualTo("loaded");
		assertThat(files.reload("a.csv")).isEqualTo("loaded again");
		// a database keeps no exact key with a slash
		String path = this.provider.equals("jdbc") ? "a.csv" : "in/a.csv";
		LockRequest same = LockRequest.ofExactKey("files:" + path);
		registry.executeLocked(path, () -> {
			files.load(path);
			assertThat(CompletableFuture.supplyAsync(() -> this.otherNode.tryAcquire(same)).join()).isEmpty();
		});
	}

	@Test
	void fromCurator() {
		ConfigurableApplicationContext node = node(FromCurator.class, CountingIndex.class);
		FromCurator bean = node.getBean(FromCurator.class);
		bean.rebuild("1");
		bean.compact("1");
		bean.read("1");
		assertThat(node.getBean(CountingIndex.class).calls).hasValue(3);
		locks(node).execute(LockRequest.of("1").withName("index"), () -> {
			bean.rebuild("1");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> bean.compact("1"));
		});
	}

	@Test
	void fromSetNx() {
		FromSetNx bean = node(FromSetNx.class).getBean(FromSetNx.class);
		try (LockHandle other = hold("42", "order")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> bean.settle(42));
			assertThat(other.isValid()).isTrue();
		}
		assertThat(bean.settle(42)).isEqualTo("settled");
	}

	@Test
	void fromForUpdate() {
		ConfigurableApplicationContext node = node(FromForUpdate.class);
		JdbcTemplate jdbcTemplate = node.getBean(JdbcTemplate.class);
		jdbcTemplate.execute("drop table if exists stock");
		jdbcTemplate.execute("create table stock (id int primary key, amount int)");
		jdbcTemplate.update("insert into stock values (1, 10)");
		FromForUpdate bean = node.getBean(FromForUpdate.class);
		bean.take(1);
		bean.takeUnderBoth(1);
		bean.takeUnlessBusy(1);
		try (LockHandle other = hold("1", "stock")) {
			bean.takeUnlessBusy(1);
			bean.move(1, 2);
			bean.move(2, 1);
			assertThat(other.isValid()).isTrue();
		}
		bean.move(1, 2);
		assertThat(jdbcTemplate.queryForObject("select amount from stock", Integer.class)).isEqualTo(6);
	}

	@Test
	void bothLocksExcludeThoseThatHaveOne() {
		UnderBothLocks bothLocks = node(UnderBothLocks.class).getBean(UnderBothLocks.class);
		ReentrantLock old = new ReentrantLock();
		String result = bothLocks.execute(old, LockRequest.of("42").withName("order"), () -> {
			assertThat(old.isHeldByCurrentThread()).isTrue();
			assertThat(isFree("42", "order")).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(old.isLocked()).isFalse();
		assertThat(isFree("42", "order")).isTrue();
	}

	@Test
	void registryOfBothLocksExcludesThoseThatHaveOne() throws Exception {
		LockRegistry<?> registry = node(BothRegistries.class).getBean(LockRegistry.class);
		registry.executeLocked("a.csv", () -> assertThat(isFree("a.csv", "files")).isFalse());
		assertThat(isFree("a.csv", "files")).isTrue();
	}

	private LockHandle hold(String key, String name) {
		return this.otherNode.acquire(LockRequest.of(key).withName(name));
	}

	private boolean isFree(String key, String name) {
		return CompletableFuture.supplyAsync(() -> this.otherNode.tryExecute(LockRequest.of(key).withName(name), () -> {
		})).join();
	}

	static class CountingReports implements FromShedLock.Reports {

		private final AtomicInteger written = new AtomicInteger();

		@Override
		public void write() {
			this.written.incrementAndGet();
		}

	}

	static class CountingIndex implements FromCurator.Index {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public void write(String shard, long token) {
			this.calls.incrementAndGet();
		}

		@Override
		public void stop() {
			this.calls.incrementAndGet();
		}

	}

}
