package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that stops for a while, with all connections open, and goes on where it was.
 */
abstract class StallContract extends NetworkContract {

	@Test
	final void attemptsDuringAStallLeaveNothing() {
		attemptsDuringAStall(Warmth.SOME_KINDS);
		if (THOROUGH) {
			attemptsDuringAStall(Warmth.ALL_KINDS);
		}
	}

	@Test
	final void attemptsDuringAStallOfAServerThatHasJustStartedLeaveNothing() {
		attemptsDuringAStall(Warmth.NONE);
	}

	@Test
	final void stallLongerThanALeaseFreesEveryKey() {
		Duration lease = atLeastShortest(Duration.ofMillis(1500));
		LockTemplate holder = briefNode(lease);
		LockTemplate waiter = briefNode(lease);
		List<LockType> types = types();
		List<LockHandle> handles = types.stream()
			.map((type) -> get(holder.acquireAsync(request(type, "stall"))))
			.toList();
		AtomicReference<@Nullable LockLostException> loss = new AtomicReference<>();
		handles.get(0).onLost(loss::set);
		// a reader would be let in beside the other one
		List<CompletableFuture<LockHandle>> waiting = types.stream()
			.filter((type) -> type != LockType.READ)
			.map((type) -> waiter.acquireAsync(request(type, "stall").withWaitTime(Duration.ofSeconds(3))))
			.toList();
		awaitPlaces(waiting);
		stall(() -> {
			Awaitility.await("message of the loss").atMost(PATIENCE).until(() -> loss.get() != null);
			waiting.forEach((each) -> assertThat(each).failsWithin(COMMAND_TIMEOUT.plus(PATIENCE)));
		});
		LockTemplate next = node();
		assertFree(next, types.stream().map((type) -> request(type, "stall")).toList());
		try (LockHandle successor = next.acquire(request(LockType.EXCLUSIVE, "stall"))) {
			handles.forEach((handle) -> get(handle.closeAsync()));
			assertThat(waiter.tryAcquire(request(LockType.EXCLUSIVE, "stall"))).as("after the stale release").isEmpty();
			successor.ensureHeld();
		}
	}

	private void attemptsDuringAStall(Warmth warmth) {
		requireStalls();
		Runnable restart = source().restart();
		if (restart != null && warmth != Warmth.ALL_KINDS) {
			// it has forgotten the scripts that it was sent
			restart.run();
		}
		LockTemplate node = briefNode(longLease());
		LockTemplate other = node();
		Awaitility.await("nodes are there").atMost(PATIENCE).ignoreExceptions().until(() -> {
			node.check(request());
			return warmth == Warmth.NONE || warm(node, warmth);
		});
		Duration brief = atLeastShortest(Duration.ofSeconds(4));
		// what has just started must not have seen anything yet
		List<LockRequest> held = Stream.of("released", "extended")
			.filter((name) -> warmth != Warmth.NONE)
			.map((name) -> LockRequest.of(key() + warmth + name).withLeaseTime(brief))
			.toList();
		List<LockHandle> handles = held.stream().map((request) -> get(node.acquireAsync(request))).toList();
		List<LockRequest> tried = new ArrayList<>();
		stall(() -> {
			List<CompletableFuture<?>> ends = handles.stream()
				.<CompletableFuture<?>>map((handle) -> handle.key().endsWith("released") ? handle.closeAsync()
						: handle.extendAsync(brief).exceptionally((failure) -> null))
				.toList();
			tried.addAll(assertUnavailable(node, longLeases("stall" + warmth)));
			assertThat(ends).allSatisfy((end) -> assertThat(end).succeedsWithin(PATIENCE));
		});
		assertFree(other, tried);
		handles.forEach((handle) -> get(handle.closeAsync()));
		assertFree(other, held);
	}

	private boolean warm(LockTemplate node, Warmth warmth) {
		types().stream()
			.filter((type) -> warmth == Warmth.ALL_KINDS || type == LockType.EXCLUSIVE)
			.forEach((type) -> node.acquire(request(type, "warm")).close());
		return true;
	}

	private DefaultLockTemplate briefNode(Duration lease) {
		requireStalls();
		return node((settings) -> settings.commandTimeout(COMMAND_TIMEOUT).renewalLeaseTime(lease));
	}

	private void stall(Runnable meanwhile) {
		Objects.requireNonNull(source().faults().suspend()).run();
		try {
			meanwhile.run();
		}
		finally {
			Objects.requireNonNull(source().faults().resume()).run();
		}
	}

	private void requireStalls() {
		Assumptions.assumeTrue(source().sharedBetweenJvms(), "the provider lives in one JVM, which is this one");
		Assumptions.assumeTrue(source().faults().suspend() != null && source().faults().resume() != null,
				"the source has no server that can be stopped");
	}

	/**
	 * What a server has been asked for since it started.
	 */
	private enum Warmth {

		NONE, SOME_KINDS, ALL_KINDS

	}

}
