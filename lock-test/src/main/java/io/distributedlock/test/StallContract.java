package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that a server which stalls leads to no second owner and leaves nothing behind.
 * It stops for a while with all connections open, and then continues.
 */
abstract class StallContract extends NetworkContract {

	@Test
	@NeedsServerAlone
	final void attemptsDuringAStallLeaveNothingBehind() {
		attemptsDuringAStall(Warmup.EXCLUSIVE);
		if (THOROUGH) {
			attemptsDuringAStall(Warmup.ALL_LOCK_TYPES);
		}
	}

	@Test
	@NeedsServerAlone
	final void attemptsDuringAStallAfterAStartLeaveNothingBehind() {
		attemptsDuringAStall(Warmup.NONE);
	}

	@Test
	@NeedsServerAlone
	final void everyKeyIsFreeAfterAStallLongerThanItsLease() {
		requireStalls();
		// both are still there when the servers stall, after a pause of a busy machine
		// too
		Duration lease = atLeastShortest(Duration.ofSeconds(5));
		Duration wait = Duration.ofSeconds(5);
		LockTemplate holder = briefNode(lease);
		LockTemplate waiter = briefNode(lease);
		List<LockType> types = types();
		List<LockHandle> handles = types.stream()
			.map((type) -> get(holder.acquireAsync(request(type, "stall"))))
			.toList();
		AtomicReference<@Nullable LockLostException> loss = new AtomicReference<>();
		handles.get(0).onLost(loss::set);
		// no second reader, as it would share the lock and not wait
		List<CompletableFuture<LockHandle>> waiting = types.stream()
			.filter((type) -> type != LockType.READ)
			.map((type) -> waiter.acquireAsync(request(type, "stall").withWaitTime(wait)))
			.toList();
		awaitPlaces(waiting);
		stall(() -> {
			Patience.await("the loss is reported").until(() -> loss.get() != null);
			Patience.await("every lease has ended").until(() -> handles.stream().noneMatch(LockHandle::isValid));
			waiting.forEach((each) -> assertThat(each).failsWithin(COMMAND_TIMEOUT.plus(PATIENCE)));
		});
		LockTemplate next = node();
		assertFree(next, types.stream().map((type) -> request(type, "stall")).toList());
		try (LockHandle successor = next.acquire(request(LockType.EXCLUSIVE, "stall"))) {
			handles.forEach((handle) -> get(handle.closeAsync()));
			assertThat(node().tryAcquire(request(LockType.EXCLUSIVE, "stall")))
				.as("after the release by the expired owner")
				.isEmpty();
			successor.ensureHeld();
		}
	}

	@Test
	@NeedsServerAlone
	final void waitWithoutEndFailsDuringAStall() {
		requireStalls();
		LockTemplate holder = briefNode(longLease());
		LockTemplate waiter = briefNode(longLease());
		List<LockRequest> requests = typesWithWaiters().stream().map((type) -> request(type, "endless")).toList();
		List<LockHandle> held = requests.stream().map((request) -> get(holder.acquireAsync(request))).toList();
		// of an exclusive lock one call asks, and one stands behind it in the same JVM
		List<CompletableFuture<Void>> waiting = Stream.concat(requests.stream(), requests.stream())
			.map((request) -> lockAndUnlock(waiter, request))
			.toList();
		awaitPlaces(waiting);
		// the question that is under way, the command time-out, and one question more
		Duration limit = COMMAND_TIMEOUT.multipliedBy(3).plus(PATIENCE);
		stall(() -> assertThat(waiting).allSatisfy((each) -> assertThat(each).failsWithin(limit)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)));
		held.forEach((handle) -> get(handle.closeAsync()));
		assertFree(node(), requests);
		Patience.await("the waiter's node is connected again").untilAsserted(() -> {
			assertThat(lockAndUnlock(waiter, requests.get(0))).succeedsWithin(PATIENCE);
		});
	}

	@Test
	@NeedsServerAlone
	final void pingFailsDuringAStall() {
		requireStalls();
		LockProvider provider = provider(COMMAND_TIMEOUT);
		DefaultLockTemplate node = node(provider, (settings) -> settings.commandTimeout(COMMAND_TIMEOUT));
		requirePing(provider);
		assertThat(node.backends().ping(provider.name())).succeedsWithin(PATIENCE);
		Duration limit = COMMAND_TIMEOUT.plus(PATIENCE);
		stall(() -> assertThat(node.backends().ping(provider.name())).failsWithin(limit));
		Patience.await("the server answers again")
			.untilAsserted(() -> assertThat(node.backends().ping(provider.name())).succeedsWithin(limit));
	}

	private void attemptsDuringAStall(Warmup warmup) {
		requireStalls();
		Runnable restart = source().restart();
		if (restart != null && warmup != Warmup.ALL_LOCK_TYPES) {
			// so that the server does not know the scripts of the provider
			restart.run();
		}
		LockTemplate node = briefNode(longLease());
		LockTemplate other = node();
		Patience.await("the nodes are connected").ignoreExceptions().until(() -> {
			node.check(request());
			return warmup == Warmup.NONE || warmUp(node, warmup);
		});
		Duration lease = atLeastShortest(Duration.ofSeconds(4));
		// without a warm-up the server must not have seen any lock
		List<LockRequest> held = Stream.of("released", "extended")
			.filter((name) -> warmup != Warmup.NONE)
			.map((name) -> LockRequest.of(key() + warmup + name).withLeaseTime(lease))
			.toList();
		List<LockHandle> handles = held.stream().map((request) -> get(node.acquireAsync(request))).toList();
		List<LockRequest> tried = new ArrayList<>();
		stall(() -> {
			List<CompletableFuture<?>> ends = handles.stream()
				.<CompletableFuture<?>>map((handle) -> handle.key().endsWith("released") ? handle.closeAsync()
						: handle.extendAsync(lease).exceptionally((failure) -> null))
				.toList();
			tried.addAll(assertUnavailable(node, longLeases("stall" + warmup)));
			assertThat(ends).allSatisfy((end) -> assertThat(end).succeedsWithin(PATIENCE));
		});
		assertFree(other, tried);
		handles.forEach((handle) -> get(handle.closeAsync()));
		assertFree(other, held);
	}

	/**
	 * Lock and unlock by the view of a {@code Lock}, on a thread of its own.
	 */
	// nothing is done inside the lock
	@SuppressWarnings("LockNotBeforeTry")
	private CompletableFuture<Void> lockAndUnlock(LockTemplate node, LockRequest request) {
		Lock lock = node.asLock(request);
		return CompletableFuture.runAsync(() -> {
			lock.lock();
			lock.unlock();
		}, OTHER_THREAD);
	}

	private boolean warmUp(LockTemplate node, Warmup warmup) {
		types().stream()
			.filter((type) -> warmup == Warmup.ALL_LOCK_TYPES || type == LockType.EXCLUSIVE)
			.forEach((type) -> node.acquire(request(type, "warmup")).close());
		return true;
	}

	private void stall(Runnable meanwhile) {
		Runnable suspend = Objects.requireNonNull(source().faults().suspend());
		Runnable resume = Objects.requireNonNull(source().faults().resume());
		try {
			suspend.run();
			meanwhile.run();
		}
		finally {
			resume.run();
		}
	}

	private void requireStalls() {
		Assumptions.assumeTrue(source().sharedBetweenJvms(), SINGLE_JVM);
		Assumptions.assumeTrue(source().faults().suspend() != null && source().faults().resume() != null,
				"the source names no server that can be suspended");
	}

	/**
	 * Which lock types the server has seen since its start: providers send scripts and
	 * statements at their first use.
	 */
	private enum Warmup {

		NONE, EXCLUSIVE, ALL_LOCK_TYPES

	}

}
