package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.ChildJvm;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The compatibility kit: it checks that a provider keeps every promise of the library.
 * Extend it and implement {@link #source()}, which says how to create the provider. All
 * test methods are final: a provider passes the whole kit, or it does not pass.
 * <p>
 * The cases are in this class and in its superclasses, one for each part of the contract:
 * the SPI, owners on the backend, lock types, many callers, nodes that die, keys, the
 * network, and servers that stall.
 *
 * @since 0.1
 */
@ExtendWith(KitReport.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = TurnsOnTheServer.class)
public abstract class LockProviderCompatibilityKit extends StallContract {

	/**
	 * How many JVMs may lose a lock on a busy machine before one keeps it.
	 */
	private static final int HOLDERS = 5;

	/**
	 * Called by the subclass, which names the backend.
	 */
	protected LockProviderCompatibilityKit() {
	}

	@Test
	final void anotherNodeCannotAcquireUntilTheRelease() {
		LockTemplate first = node();
		LockTemplate second = node();
		try (LockHandle handle = first.acquire(request())) {
			assertThat(handle.isValid()).isTrue();
			assertThat(second.tryAcquire(request())).isEmpty();
			assertThat(second.tryExecute(request(), () -> {
			})).isFalse();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> second.acquire(request().withWaitTime(Duration.ofMillis(50))))
				.satisfies((ex) -> {
					assertThat(ex.getReason()).isEqualTo(Reason.CONTENDED);
					assertThat(ex.getKey()).isEqualTo(handle.key());
				});
		}
		// not zero: the place of the call that has given up may still be on its way out
		second.acquire(request().withWaitTime(Duration.ofSeconds(5))).close();
	}

	@Test
	final void reentryDoesNotCallTheProvider() {
		CountingProvider counting = new CountingProvider(provider());
		LockTemplate node = node(counting, (settings) -> settings);
		LockTemplate other = node();
		try (LockHandle outer = node.acquire(request())) {
			try (LockHandle inner = node.acquire(request())) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
			assertThat(counting.attempts()).isEqualTo(1);
			assertThat(counting.releases()).isZero();
			assertThat(other.tryAcquire(request())).as("after the inner handle was closed").isEmpty();
		}
		assertThat(counting.releases()).isEqualTo(1);
		other.acquire(request()).close();
	}

	@Test
	final void leaseIsRenewedUntilTheRelease() {
		CountingProvider counting = new CountingProvider(provider());
		LockTemplate node = node(counting,
				(settings) -> settings.renewalLeaseTime(atLeastShortest(Duration.ofSeconds(4))));
		LockTemplate other = node();
		LockHandle handle = node.acquire(request());
		// each is sent after a third of the lease: together they last longer than it
		Patience.await().until(() -> counting.renewals() >= 4);
		assertThat(handle.isValid()).isTrue();
		assertThat(other.tryAcquire(request())).isEmpty();
		handle.close();
		int renewals = counting.renewals();
		try (LockHandle successor = other.acquire(lease(longLease()))) {
			Patience.await().during(Duration.ofMillis(800)).until(() -> counting.renewals() == renewals);
			successor.ensureHeld();
		}
	}

	@Test
	final void explicitLeaseIsNotRenewedAndItsEndIsALoss() throws InterruptedException {
		LockTemplate node = node();
		LockTemplate other = node();
		AtomicLong toldAt = new AtomicLong();
		CountDownLatch told = new CountDownLatch(1);
		try (LockHandle handle = node.acquire(lease(shortLease()))) {
			long deadline = System.nanoTime() + handle.remaining().toNanos();
			handle.onLost((loss) -> {
				toldAt.set(System.nanoTime());
				told.countDown();
			});
			assertThat(told.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(handle.isValid()).isFalse();
			assertThat(handle.remaining()).isZero();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld);
			assertThat(toldAt.get() - deadline).as("delay until the listener was called, with time for a slow machine")
				.isLessThan(Duration.ofSeconds(20).toNanos());
			other.acquire(request()).close();
		}
	}

	@Test
	final void waiterIsWokenByTheRelease() throws Exception {
		LockProvider provider = provider();
		boolean signalled = provider.capabilities().contains(LockCapability.BLOCKING_WAIT);
		LockTemplate holder = node();
		LockTemplate waiter = node(provider, (settings) -> signalled ? settings.pollInterval(NEVER_POLL) : settings);
		LockHandle handle = holder.acquire(request());
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request());
		Patience.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
		handle.close();
		waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
	}

	@Test
	final void waiterAcquiresByPollingWithoutSignals() throws Exception {
		LockTemplate holder = node();
		LockTemplate waiter = node(new CountingProvider(provider()), (settings) -> settings);
		LockHandle handle = holder.acquire(request());
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request());
		Patience.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
		handle.close();
		waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
	}

	@Test
	final void waiterAcquiresAfterTheHolderWasKilled() {
		Assumptions.assumeTrue(source().sharedBetweenJvms(), SINGLE_JVM);
		// a JVM may pause for a second while it starts, so the lease is longer
		Duration lease = atLeastShortest(Duration.ofSeconds(4));
		LockTemplate waiter = node();
		try (ChildJvm holder = otherJvmThatKeepsTheLock(waiter, lease)) {
			holder.kill();
			// at most the lease, one poll and the command time-out
			waiter.acquire(request().withWaitTime(lease.plusMillis(100 + 3000))).close();
		}
	}

	/**
	 * Start a JVM that has the lock for longer than a lease, because it renews it. Where
	 * a busy machine has no processor for it in time, it says that it has lost the lock,
	 * and another one is started.
	 */
	private ChildJvm otherJvmThatKeepsTheLock(LockTemplate waiter, Duration lease) {
		List<String> arguments = new ArrayList<>(
				List.of(source().factory().getName(), key(), Long.toString(lease.toMillis())));
		arguments.addAll(source().arguments());
		for (int i = 0; i < HOLDERS; i++) {
			ChildJvm holder = ChildJvm.start(KitHolder.class, arguments.toArray(String[]::new));
			if (keepsTheLock(holder, waiter, lease)) {
				return holder;
			}
			holder.close();
		}
		throw new AssertionError("No other JVM has renewed its lease of " + lease);
	}

	private boolean keepsTheLock(ChildJvm holder, LockTemplate waiter, Duration lease) {
		holder.awaitLine("HELD");
		boolean granted = waiter.tryExecute(request(), () -> {
		});
		Patience.await("longer than a lease").during(lease.plusMillis(500)).until(holder::isAlive);
		granted |= waiter.tryExecute(request(), () -> {
		});
		if (granted) {
			// otherwise there were two owners
			holder.awaitLine("LOST");
		}
		return holder.lines().stream().noneMatch((line) -> line.startsWith("LOST"));
	}

	@Test
	final void interruptedWaiterLeavesNothingBehind() throws InterruptedException {
		LockTemplate holder = node();
		LockTemplate waiter = node();
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		AtomicReference<Boolean> flag = new AtomicReference<>();
		LockHandle handle = holder.acquire(request());
		Thread thread = new Thread(() -> {
			try {
				waiter.acquire(request());
			}
			catch (LockNotAcquiredException ex) {
				thrown.set(ex);
				flag.set(Thread.currentThread().isInterrupted());
			}
		});
		thread.start();
		Patience.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		thread.interrupt();
		thread.join(PATIENCE.toMillis());
		assertThat(thrown.get()).isInstanceOfSatisfying(LockNotAcquiredException.class,
				(ex) -> assertThat(ex.getReason()).isEqualTo(Reason.INTERRUPTED));
		assertThat(flag.get()).as("the interrupt flag").isTrue();
		handle.close();
		node().acquire(request()).close();
		waiter.acquire(request()).close();
	}

	@Test
	final void interruptDuringAnAttemptLeavesNothingBehind() {
		LockTemplate node = node();
		LockTemplate other = node();
		Thread.currentThread().interrupt();
		try {
			node.acquire(request()).close();
		}
		catch (LockNotAcquiredException ex) {
			assertThat(ex.getReason()).isEqualTo(Reason.INTERRUPTED);
		}
		assertThat(Thread.interrupted()).isTrue();
		// a lease that was left behind would last for its first term, which is longer
		other.acquire(request().withWaitTime(PATIENCE.dividedBy(2))).close();
	}

	@Test
	final void cancelledFutureLeavesNothingBehind() {
		LockTemplate holder = node();
		LockTemplate waiter = node();
		LockHandle handle = holder.acquire(request());
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request());
		waiting.cancel(false);
		handle.close();
		CompletableFuture<LockHandle> immediate = waiter.acquireAsync(request());
		if (!immediate.cancel(false)) {
			immediate.join().close();
		}
		node().acquire(request().withWaitTime(Duration.ofSeconds(5))).close();
	}

	@Test
	final void handleMayBeClosedOnAnotherThread() throws Exception {
		LockTemplate node = node();
		LockTemplate other = node();
		LockHandle handle = node.acquire(request());
		CompletableFuture.runAsync(handle::close, OTHER_THREAD).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		try (LockHandle successor = other.acquire(request())) {
			assertThat(node.tryAcquire(request())).as("the thread that acquired the first lock no longer holds it")
				.isEmpty();
			successor.ensureHeld();
		}
	}

	@Test
	final void lockIsHeldUntilTheFutureHasCompleted() {
		LockTemplate node = node();
		LockTemplate other = node();
		CompletableFuture<String> work = new CompletableFuture<>();
		CountDownLatch started = new CountDownLatch(1);
		CompletableFuture<String> result = node.executeAsync(request(), () -> {
			started.countDown();
			return work;
		});
		Patience.await().until(() -> started.getCount() == 0);
		assertThat(other.tryAcquire(request())).isEmpty();
		work.complete("done");
		assertThat(get(result)).isEqualTo("done");
		assertThat(other.tryExecute(request().withWaitTime(Duration.ZERO), () -> {
		})).as("the release comes before the result").isTrue();
	}

	@Test
	@SuppressWarnings("LockNotBeforeTry")
	final void lockViewExcludesOthersAndIsReentrant() throws InterruptedException {
		Lock first = node().asLock(request());
		LockTemplate second = node();
		first.lock();
		first.lock();
		first.unlock();
		assertThat(second.asLock(request()).tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		first.unlock();
		assertThat(second.asLock(request()).tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		second.asLock(request()).unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(first::unlock);
	}

	@Test
	final void unusualKeysAreDistinctAndCanBeLocked() {
		LockTemplate node = node();
		List<LockRequest> requests = new ArrayList<>();
		List.of("a\r\nset x 1", "a\u0000b", "a b", "a b ", "A b", "{a}", "a/b", "..", ".", "%2E", "ключ",
				"\uD83D\uDD12", "*", "a?b", "x".repeat(10_000), "x".repeat(10_001))
			.forEach((key) -> requests.add(LockRequest.of(key)));
		requests.add(LockRequest.of("c").withName("a:b"));
		requests.add(LockRequest.of("b:c").withName("a"));
		List<LockHandle> handles = requests.stream().map(node::acquire).toList();
		Map<String, LockHandle> byKey = handles.stream().collect(Collectors.toMap(LockHandle::key, (handle) -> handle));
		assertThat(byKey).hasSameSizeAs(requests);
		assertThat(byKey.keySet()).allSatisfy((key) -> assertThat(key).matches("[\\x21-\\x7e]{1,200}"));
		LockTemplate other = node();
		requests.forEach((request) -> assertThat(other.tryAcquire(request)).isEmpty());
		handles.forEach(LockHandle::close);
		requests.forEach((request) -> other.acquire(request).close());
	}

	@Test
	final void closingTheTemplateEndsWaitersAndHolders() {
		DefaultLockTemplate node = node();
		LockTemplate other = node();
		AtomicReference<LockLostException> loss = new AtomicReference<>();
		LockHandle handle = node.acquire(request());
		handle.onLost(loss::set);
		CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(() -> node.acquire(request()),
				OTHER_THREAD);
		Patience.await().during(Duration.ofMillis(100)).until(() -> !waiting.isDone());
		node.close();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
			.havingCause()
			.isInstanceOfSatisfying(LockNotAcquiredException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(Reason.CLOSED));
		Patience.await().until(() -> loss.get() != null);
		assertThat(handle.isValid()).isFalse();
		other.acquire(request().withWaitTime(PATIENCE.dividedBy(2))).close();
		assertThatNoException().isThrownBy(handle::close);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> node.acquire(request()))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.CLOSED));
	}

	@Test
	final void noUpdateIsLost() throws Exception {
		int nodes = 3;
		int threads = 4;
		int rounds = 25;
		int[] unguarded = new int[1];
		List<Long> tokens = new ArrayList<>();
		AtomicInteger inside = new AtomicInteger();
		ExecutorService pool = Executors.newFixedThreadPool(nodes * threads);
		try {
			List<Future<?>> work = new ArrayList<>();
			for (int i = 0; i < nodes; i++) {
				LockTemplate node = node((settings) -> settings.waitTime(Duration.ofSeconds(60)));
				for (int j = 0; j < threads; j++) {
					work.add(pool.submit(() -> {
						for (int round = 0; round < rounds; round++) {
							try (LockHandle handle = node.acquire(request())) {
								assertThat(inside.incrementAndGet()).as("holders inside").isEqualTo(1);
								int before = unguarded[0];
								LockSupport.parkNanos(100_000);
								unguarded[0] = before + 1;
								handle.fencingToken().ifPresent(tokens::add);
								inside.decrementAndGet();
							}
						}
						return null;
					}));
				}
			}
			for (Future<?> each : work) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		}
		finally {
			pool.shutdownNow();
		}
		assertThat(unguarded[0]).isEqualTo(nodes * threads * rounds);
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	final void waitersOfOneNodeAreServedInTheirOrder() throws Exception {
		LockTemplate node = node();
		List<Integer> served = new ArrayList<>();
		// acquired on another thread, so that this thread does not re-enter
		LockHandle handle = CompletableFuture.supplyAsync(() -> node.acquire(request()), OTHER_THREAD).get();
		CompletableFuture<?>[] waiting = new CompletableFuture<?>[10];
		for (int i = 0; i < waiting.length; i++) {
			int number = i;
			waiting[i] = node.executeAsync(request(), () -> CompletableFuture.completedFuture(served.add(number)));
		}
		assertThat(node.tryAcquire(request())).as("no call passes the queue").isEmpty();
		handle.close();
		CompletableFuture.allOf(waiting).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(served).containsExactlyElementsOf(Arrays.asList(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
	}

}
