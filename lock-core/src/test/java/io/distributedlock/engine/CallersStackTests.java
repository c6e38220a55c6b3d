package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A caller whose stack overflows, wherever that happens, leaves a key that can be locked.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
@SuppressWarnings("LockNotBeforeTry")
class CallersStackTests {

	private static final int WARM_UP = 3000;

	/**
	 * Beyond that nothing overflows any more.
	 */
	private static final int MOST_ROOM = 500;

	private static final LockRequest K = LockRequest.of("k");

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(new LocalLockProvider())
		.waitTime(Duration.ofSeconds(20))
		.renewalLeaseTime(Duration.ofMillis(150))
		.build();

	@AfterEach
	void close() {
		this.template.close();
	}

	static Stream<Arguments> whatIsDoneAtTheEndOfTheStack() {
		LockRequest several = LockRequest.ofAll(List.of("j", "k"));
		return Stream.of(
				arguments("acquire and close",
						calls((template, deeper) -> deeper.run(), (template, deeper) -> template.acquire(K).close())),
				arguments("execute", calls((template, deeper) -> deeper.run(), (template, deeper) -> {
					template.execute(K, () -> {
					});
				})), arguments("execute several", calls((template, deeper) -> deeper.run(), (template, deeper) -> {
					template.execute(several, () -> {
					});
				})), arguments("close", calls(CallersStackTests::holding, (template, deeper) -> closeHeld())),
				arguments("close several", calls((template, deeper) -> {
					template.acquire(several);
					deeper.run();
				}, (template, deeper) -> closeHeld())), arguments("work", calls((template, deeper) -> {
					template.execute(K, deeper::run);
				}, (template, deeper) -> {
				})),
				arguments("acquireAsync",
						calls((template, deeper) -> deeper.run(),
								(template, deeper) -> template.acquireAsync(K).thenAccept(LockHandle::close))),
				arguments("lock and unlock", calls((template, deeper) -> deeper.run(), (template, deeper) -> {
					template.asLock(K).lock();
					template.asLock(K).unlock();
				})), arguments("re-enter", calls(CallersStackTests::holdingSafely, (template, deeper) -> {
					template.acquire(K).close();
				})));
	}

	private static List<BiConsumer<DefaultLockTemplate, Runnable>> calls(
			BiConsumer<DefaultLockTemplate, Runnable> first, BiConsumer<DefaultLockTemplate, Runnable> last) {
		return List.of(first, last);
	}

	private static void holding(DefaultLockTemplate template, Runnable deeper) {
		template.acquire(K);
		deeper.run();
	}

	@SuppressWarnings("try")
	private static void holdingSafely(DefaultLockTemplate template, Runnable deeper) {
		LockHandle handle = template.acquire(K);
		try {
			deeper.run();
		}
		finally {
			handle.close();
		}
	}

	private static void closeHeld() {
		LockContext.find().ifPresent(LockHandle::close);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("whatIsDoneAtTheEndOfTheStack")
	void keyCanBeLockedAfterAnOverflowAtAnyDepth(String what, List<BiConsumer<DefaultLockTemplate, Runnable>> calls)
			throws Exception {
		for (int i = 0; i < WARM_UP; i++) {
			warmUp(calls);
		}
		AtomicInteger overflows = new AtomicInteger();
		for (int room = 0; room <= MOST_ROOM; room += (room < 30) ? 1 : 25) {
			int frames = room;
			inThread(() -> {
				try {
					Bottom bottom = new Bottom(frames, () -> calls.get(1).accept(this.template, () -> {
					}));
					calls.get(0).accept(this.template, bottom::dig);
				}
				catch (Throwable ex) {
					overflows.incrementAndGet();
				}
			});
			assertKeyCanBeLocked("j", frames);
			assertKeyCanBeLocked("k", frames);
		}
		assertThat(overflows.get()).as("overflows").isPositive();
		Leftovers.assertNone(this.template);
	}

	private void warmUp(List<BiConsumer<DefaultLockTemplate, Runnable>> calls) {
		try {
			calls.get(0).accept(this.template, () -> calls.get(1).accept(this.template, () -> {
			}));
		}
		catch (LockException ex) {
			// the lease is so short that a pause of the machine outlasts it
		}
		closeHeld();
	}

	/**
	 * A handle whose close could not even be called is found when it is unreachable.
	 */
	private void assertKeyCanBeLocked(String key, int room) {
		if (isLockable(key)) {
			return;
		}
		Patience.await().alias("'%s' with room for %s frames".formatted(key, room)).until(() -> {
			System.gc();
			return isLockable(key);
		});
	}

	private boolean isLockable(String key) {
		return OtherThread.call(() -> {
			try {
				return this.template.tryAcquire(key).map((handle) -> {
					handle.close();
					return true;
				}).isPresent();
			}
			catch (LockException ex) {
				// the lease is so short that a pause of the machine outlasts it
				return false;
			}
		});
	}

	private static void inThread(Runnable task) throws InterruptedException {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		Thread thread = new Thread(null, task, "shallow", 256 * 1024);
		thread.setUncaughtExceptionHandler((ignored, ex) -> failure.set(ex));
		thread.start();
		thread.join();
		assertThat(failure.get()).isNull();
	}

	/**
	 * Fills the stack, and then acts as many frames above its end as it is told.
	 */
	private static final class Bottom {

		private final int room;

		private final Runnable action;

		private int unwound;

		private Bottom(int room, Runnable action) {
			this.room = room;
			this.action = action;
		}

		@SuppressWarnings("InfiniteRecursion")
		private void dig() {
			try {
				dig();
			}
			catch (StackOverflowError ex) {
				if (this.unwound > 0) {
					// what the action threw
					throw ex;
				}
			}
			if (this.unwound++ == this.room) {
				this.action.run();
			}
		}

	}

}
