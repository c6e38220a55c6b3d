package io.distributedlock.engine.internal.handle;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.Leftovers;
import io.distributedlock.engine.OtherThread;
import io.distributedlock.engine.TrickyProvider;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handles that are never closed: they are reported, their locks are let go of, and the
 * thread that forgot them takes the lock anew.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class HandleLeaksTests {

	private final Map<String, Throwable> reported = new ConcurrentHashMap<>();

	private final TrickyProvider provider = new TrickyProvider();

	private final List<LockLostException> losses = new CopyOnWriteArrayList<>();

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(this.provider)
		.listener(LockListener.of(LockEvent.Lost.class, (event) -> this.losses.add(event.loss())))
		.renewalLeaseTime(Duration.ofMinutes(1))
		.waitTime(Duration.ofSeconds(30))
		.build();

	@BeforeEach
	void record() {
		// a lease that is longer than the machine may pause is looked at each second
		this.provider.over = 0.8;
		HandleLeaks.reporter = this.reported::put;
	}

	@AfterEach
	void close() {
		this.template.close();
		HandleLeaks.reporter = HandleLeaks::log;
	}

	@Test
	void callbacksDoNotKeepALockWhoseHandleIsForgottenAndAreToldOfItsEnd() {
		AtomicInteger told = new AtomicInteger();
		OtherThread.call(() -> {
			LockHandle handle = this.template.acquire("k");
			handle.onExpiring(Duration.ofMillis(1), () -> {
			});
			handle.onLost((loss) -> told.incrementAndGet());
			return true;
		});
		assertIsLetGoOf("k");
		Patience.await().until(() -> told.get() == 1);
		Leftovers.assertNone(this.template);
	}

	/**
	 * An executor that drops its tasks drops work, which has no other thread.
	 */
	@Test
	void lockOfWorkThatTheExecutorDropsIsLetGoOf() {
		try (DefaultLockTemplate dropping = DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(Duration.ofMinutes(1))
			.executor((task) -> {
			})
			.build()) {
			CompletableFuture<String> future = dropping.executeAsync(
					LockRequest.of("k").withWaitTime(LockTimes.FOREVER),
					() -> CompletableFuture.completedFuture("done"));
			assertIsLetGoOf("k");
			assertThat(future).isNotDone();
			assertThat(dropping.acquireAsync(LockRequest.of("k"))).succeedsWithin(Patience.LIMIT)
				.satisfies(LockHandle::close);
		}
	}

	@Test
	void lockWhoseHandleIsForgottenIsLetGoOfAndReportedWithThePlace() {
		OtherThread.call(() -> forgetfulMethod("k"));
		assertIsLetGoOf("k");
		Patience.await().until(() -> {
			System.gc();
			return this.reported.containsKey("k");
		});
		assertThat(this.reported.get("k").getStackTrace()).extracting(StackTraceElement::getMethodName)
			.contains("forgetfulMethod");
		Patience.await()
			.untilAsserted(() -> assertThat(this.losses).singleElement()
				.satisfies(
						(loss) -> assertThat(loss).hasMessageContaining("never closed").hasMessageContaining("'k'")));
		this.template.acquire("k").close();
		Leftovers.assertNone(this.template);
	}

	@Test
	void minimumHoldTimeIsKeptThoughTheHandleIsForgotten() {
		LockRequest request = LockRequest.of("k").withHoldAtLeast(Duration.ofMinutes(10)).withWaitTime(Duration.ZERO);
		OtherThread.call(() -> this.template.tryAcquire(request).isPresent());
		Patience.await().until(() -> {
			System.gc();
			return !this.losses.isEmpty();
		});
		Leftovers.assertNone(this.template);
		assertThat(this.template.tryAcquire(request)).isEmpty();
	}

	@Test
	void handleThatCameAsAFutureIsLetGoOfToo() {
		CompletableFuture<LockHandle> future = this.template.acquireAsync(LockRequest.of("k"));
		assertThat(future).succeedsWithin(Patience.LIMIT);
		future = null;
		assertIsLetGoOf("k");
		Leftovers.assertNone(this.template);
	}

	@Test
	void lockIsKeptWhileOneOfItsHandlesIsInUse() {
		try (LockHandle outer = this.template.acquire("k")) {
			LockContext context = LockContext.capture();
			OtherThread.call(context.wrap(() -> forgetfulMethod("k")));
			int sent = this.provider.renew.calls();
			Patience.await().until(() -> {
				System.gc();
				return this.provider.renew.calls() >= sent + 4;
			});
			outer.ensureHeld();
		}
	}

	@Test
	void handleThatIsClosedIsNotReported() {
		for (int i = 0; i < 1000; i++) {
			this.template.acquire("closed").close();
		}
		OtherThread.call(() -> forgetfulMethod("later"));
		Patience.await().until(() -> {
			System.gc();
			return this.reported.containsKey("later");
		});
		assertThat(this.reported).doesNotContainKey("closed");
	}

	/**
	 * On a thread of a pool, which lives on.
	 */
	@ParameterizedTest
	@EnumSource(value = LockType.class, names = { "EXCLUSIVE", "READ" })
	void threadTakesTheLockAnewWhoseHandleItNeverClosed(LockType type) throws Exception {
		ExecutorService pool = Executors.newSingleThreadExecutor();
		try {
			this.provider.over = 0;
			LockRequest request = LockRequest.of("k").withLeaseTime(Duration.ofMillis(60));
			pool.submit(() -> {
				LockHandle forgotten = this.template.acquire(request.withType(type));
				Patience.await().until(() -> !forgotten.isValid());
				for (int i = 0; i < 3; i++) {
					LockHandle anew = this.template
						.acquire(request.withType(LockType.EXCLUSIVE).withLeaseTime(Duration.ofMinutes(1)));
					anew.ensureHeld();
					anew.close();
				}
				return true;
			}).get(Patience.SECONDS, TimeUnit.SECONDS);
		}
		finally {
			pool.shutdownNow();
		}
		Leftovers.assertNone(this.template);
	}

	private boolean forgetfulMethod(String key) {
		this.template.acquire(key);
		return true;
	}

	private void assertIsLetGoOf(String key) {
		Patience.await().until(() -> {
			System.gc();
			return this.provider.isFree(key);
		});
	}

}
