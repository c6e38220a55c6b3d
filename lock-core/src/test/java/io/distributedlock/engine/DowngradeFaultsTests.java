package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockCapability;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * What a writer that goes on reading must not do to its own lock, to other locks and to
 * its caller.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
class DowngradeFaultsTests {

	private static final LockRequest READ = LockRequest.of("k").withType(LockType.READ);

	private static final LockRequest WRITE = LockRequest.of("k").withType(LockType.WRITE);

	private final TrickyProvider provider = new TrickyProvider();

	private final List<DefaultLockTemplate> nodes = new ArrayList<>();

	private DefaultLockTemplate node(LockProvider provider, Duration commandTimeout) {
		DefaultLockTemplate node = DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(commandTimeout)
			.build();
		this.nodes.add(node);
		return node;
	}

	@AfterEach
	void close() {
		this.provider.renew.behave();
		this.nodes.forEach(DefaultLockTemplate::close);
	}

	@Test
	void extensionUnderWayIsNotTakenBackByTheDowngrade() {
		DefaultLockTemplate node = node(this.provider, Duration.ofSeconds(10));
		LockHandle writer = node.acquire(WRITE.withLeaseTime(Duration.ofSeconds(5)));
		LockHandle reader = node.acquire(READ);
		CompletableFuture<Void> opened = new CompletableFuture<>();
		this.provider.renew.next(Trick.late(opened));
		CompletableFuture<Void> extension = reader.extendAsync(Duration.ofMinutes(2));
		CompletableFuture<Void> left = writer.closeAsync();
		opened.complete(null);
		assertThat(extension).succeedsWithin(Patience.LIMIT);
		assertThat(left).succeedsWithin(Patience.LIMIT);
		assertThat(reader.remaining()).as("two minutes were confirmed").isGreaterThan(Duration.ofSeconds(100));
		reader.close();
	}

	@Test
	void providerThatThrowsAtItsLimitsHarmsOnlyItsOwnLock() {
		LimitedProvider limited = new LimitedProvider();
		DefaultLockTemplate node = node(limited, Duration.ofSeconds(1));
		LockRequest both = LockRequest.ofAll(List.of("a", "b")).withType(LockType.WRITE);
		LockHandle writers = node.acquire(both);
		LockHandle reader = node.acquire(LockRequest.of("b").withType(LockType.READ));
		limited.failing = true;
		try {
			assertThatNoException().as("close").isThrownBy(writers::close);
		}
		finally {
			limited.failing = false;
			assertThat(OtherThread
				.call(() -> node(limited.backend, Duration.ofSeconds(1)).tryAcquire(LockRequest.of("a"))))
				.as("the other lock")
				.isPresent();
			reader.close();
		}
	}

	/**
	 * The result of work under a lock must not be hidden by what the provider throws when
	 * it is left.
	 */
	@Test
	void resultOfTheWorkIsNotHiddenByALimitThatCannotBeRead() throws Exception {
		LimitedProvider limited = new LimitedProvider();
		DefaultLockTemplate node = node(limited, Duration.ofSeconds(1));
		AtomicReference<LockHandle> reader = new AtomicReference<>();
		assertThatNoException().isThrownBy(() -> {
			String result = node.execute(WRITE, () -> {
				reader.set(node.acquire(READ));
				limited.failing = true;
				return "done";
			});
			assertThat(result).isEqualTo("done");
		});
	}

	@Test
	void reentryThatComesWhenTheLastHolderLeavesTakesTheLockAnew() {
		LocalLockProvider local = new LocalLockProvider();
		Hooked runtime = new Hooked();
		LockTemplateBuilder builder = DefaultLockTemplate.builder().provider(local).waitTime(Patience.LIMIT);
		builder.runtime = runtime;
		DefaultLockTemplate node = builder.build();
		this.nodes.add(node);
		LockHandle outer = node.acquire(WRITE);
		LockContext handedOver = LockContext.capture();
		// on the thread of the re-entry, for a test that is the same each time: at its
		// look at the clock the holder's thread closes
		LockHandle again = OtherThread.call(() -> handedOver.call(() -> {
			runtime.atSecondLook(outer::close);
			return node.acquire(WRITE);
		}));
		again.close();
	}

	/**
	 * Each try is a request that every look at the deadline goes through.
	 */
	@Test
	void triesThatFailComeLessAndLessOften() {
		DefaultLockTemplate node = node(this.provider, Duration.ofMillis(16));
		LockHandle writer = node.acquire(WRITE.withLeaseTime(Duration.ofHours(12)));
		LockHandle reader = node.acquire(READ);
		this.provider.renew.always(Trick.failing(() -> new BackendException("unreachable", true, null)));
		writer.close();
		Patience.await().during(Duration.ofSeconds(4)).until(() -> this.provider.renew.calls() < 20);
		assertThat(this.provider.renew.calls()).isGreaterThan(3);
		this.provider.renew.behave();
		reader.close();
	}

	@Test
	void nothingOfAWriterStaysUntilItsMinimumIsOver() {
		DefaultLockTemplate node = node(new LocalLockProvider(), Duration.ofSeconds(1));
		for (int i = 0; i < 1000; i++) {
			LockRequest key = LockRequest.of("k" + i);
			LockHandle writer = node.acquire(key.withType(LockType.WRITE)
				.withLeaseTime(Duration.ofHours(2))
				.withHoldAtLeast(Duration.ofHours(1)));
			LockHandle reader = node.acquire(key.withType(LockType.READ));
			writer.close();
			reader.close();
		}
		Leftovers.assertNone(node);
	}

	@Test
	void lockThatWasReleasedMeanwhileIsNoFailure() {
		DefaultLockTemplate node = node(this.provider, Duration.ofSeconds(5));
		LockHandle writer = node.acquire(WRITE.withLeaseTime(Duration.ofMinutes(1)));
		LockHandle reader = node.acquire(READ);
		CompletableFuture<Void> opened = new CompletableFuture<>();
		this.provider.renew.next(Trick.late(opened));
		reader.extendAsync(Duration.ofMinutes(2));
		CompletableFuture<?> left = ((EngineHandle) writer).leave();
		reader.close();
		opened.complete(null);
		assertThat(left).succeedsWithin(Patience.LIMIT).isNull();
	}

	@Test
	void warningOfTheEndIsNotRepeatedForTheSameEnd() {
		DefaultLockTemplate node = node(this.provider, Duration.ofSeconds(1));
		LockHandle writer = node.acquire(WRITE.withLeaseTime(Duration.ofSeconds(30)));
		LockHandle reader = node.acquire(READ);
		AtomicInteger warnings = new AtomicInteger();
		reader.onExpiring(Duration.ofSeconds(40), warnings::incrementAndGet);
		Patience.await().until(() -> warnings.get() == 1);
		Patience.await().during(Duration.ofSeconds(1)).until(() -> warnings.get() == 1);
		writer.close();
		Patience.await("nobody has asked for more time").during(Duration.ofSeconds(2)).until(() -> warnings.get() == 1);
		reader.close();
	}

	@Test
	void writerThatCouldNotBeClosedForLackOfStackLetsReadersIn() {
		DefaultLockTemplate node = DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(Duration.ofMillis(500))
			.build();
		this.nodes.add(node);
		LockHandle writer = node.acquire(WRITE);
		LockHandle reader = node.acquire(READ);
		((EngineHandle) writer).abandon();
		DefaultLockTemplate other = node(this.provider, Duration.ofSeconds(1));
		try {
			Optional<LockHandle> beside = OtherThread
				.call(() -> other.tryAcquire(READ.withWaitTime(Duration.ofSeconds(10))));
			assertThat(beside).as("another reader, while only a reader is left").isPresent();
			beside.get().close();
		}
		finally {
			reader.close();
		}
	}

	/**
	 * For want of a right, or of a table.
	 */
	@Test
	void holderWhomTheBackendCannotMakeAReaderKeepsItsLock() {
		DefaultLockTemplate node = DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(Duration.ofSeconds(3))
			.commandTimeout(Duration.ofSeconds(1))
			.build();
		this.nodes.add(node);
		this.provider.asReader.next((properly) -> properly.get().map((lease) -> {
			((TrickyProvider.TrickyLease) lease).renewal.set(Trick.refusing());
			return lease;
		}));
		LockHandle writer = node.acquire(WRITE);
		LockHandle reader = node.acquire(READ);
		writer.close();
		Patience.await().during(Duration.ofSeconds(4)).until(reader::isValid);
		reader.close();
	}

	/**
	 * A provider whose limits are read from a configuration that fails.
	 */
	private static final class LimitedProvider implements LockProvider {

		final LocalLockProvider backend = new LocalLockProvider();

		volatile boolean failing;

		@Override
		public String name() {
			return this.backend.name();
		}

		@Override
		public Set<LockCapability> capabilities() {
			return this.backend.capabilities();
		}

		@Override
		public LeaseLimits leaseLimits() {
			if (this.failing) {
				throw new NoClassDefFoundError("com/example/client/Limits");
			}
			return LeaseLimits.DEFAULT;
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			return this.backend.tryAcquire(request);
		}

	}

	private static final class Hooked implements EngineRuntime {

		private final EngineRuntime runtime = new SystemRuntime(null);

		private static final ThreadLocal<Runnable> HOOK = new ThreadLocal<>();

		private final AtomicInteger looks = new AtomicInteger();

		/**
		 * Acquirer.find looks twice whether the lock is valid.
		 */
		void atSecondLook(Runnable task) {
			this.looks.set(2);
			HOOK.set(task);
		}

		@Override
		public long nanoTime() {
			long now = this.runtime.nanoTime();
			Runnable task = HOOK.get();
			if (task != null && this.looks.decrementAndGet() == 0) {
				HOOK.remove();
				// the other thread comes as far as this at this moment
				OtherThread.call(() -> {
					task.run();
					return true;
				});
			}
			return now;
		}

		@Override
		public void schedule(Runnable task, long delayNanos) {
			this.runtime.schedule(task, delayNanos);
		}

		@Override
		public void execute(Runnable task) {
			this.runtime.execute(task);
		}

		@Override
		public void callBack(Runnable task) {
			this.runtime.callBack(task);
		}

		@Override
		public <T> T await(CompletableFuture<T> future, long timeoutNanos)
				throws InterruptedException, ExecutionException, TimeoutException {
			return this.runtime.await(future, timeoutNanos);
		}

		@Override
		public long random(long bound) {
			return this.runtime.random(bound);
		}

		@Override
		public void close() {
			this.runtime.close();
		}

	}

}
