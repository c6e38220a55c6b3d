package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.ChildJvm;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that a node blocks the others for no longer than its lease: if it dies or loses
 * its connections while it waits, or never closes a handle. Also checks that nodes may
 * start at the same time.
 */
abstract class NodeContract extends StormContract {

	@Test
	final void killedWaiterBlocksNoOtherBeyondItsLease() {
		Assumptions.assumeTrue(source().sharedBetweenJvms(), SINGLE_JVM);
		List<LockType> types = typesWithWaiters();
		Duration lease = atLeastShortest(Duration.ofMillis(1500));
		List<LockHandle> handles = hold(node(), types);
		try (ChildJvm waiter = startWaiter(types, lease)) {
			waiter.kill();
		}
		handles.forEach(LockHandle::close);
		serveNext(types, lease).forEach(LockHandle::close);
	}

	/**
	 * The backend may grant it the lock, and it does not hear of that.
	 */
	@Test
	final void waiterThatIsStoppedWhenItsTurnComesBlocksNoOtherBeyondItsLeaseAndHasNoLockLater() {
		Assumptions.assumeTrue(source().sharedBetweenJvms(), SINGLE_JVM);
		Assumptions.assumeFalse(source().faults().endsWithConnection(), "its connection stays open");
		List<LockType> types = typesWithWaiters();
		Duration lease = atLeastShortest(Duration.ofMillis(1500));
		List<LockHandle> handles = hold(node(), types);
		try (ChildJvm waiter = startWaiter(types, lease)) {
			waiter.suspend();
			handles.forEach(LockHandle::close);
			List<LockHandle> next = serveNext(types, lease);
			waiter.resume();
			Patience.await("no grant")
				.during(Duration.ofSeconds(1))
				.untilAsserted(() -> assertThat(heldBy(waiter)).isEmpty());
			next.forEach(LockHandle::ensureHeld);
			next.forEach(LockHandle::close);
			Patience.await("grants").until(() -> heldBy(waiter).size() == types.size());
			assertThat(heldBy(waiter)).as("fencing tokens").allSatisfy((type, token) -> {
				LockHandle before = next.get(types.indexOf(LockType.valueOf(type)));
				assertThat(token).isGreaterThan(before.fencingToken().orElse(-1));
			});
		}
	}

	@Test
	final void disconnectedWaiterBlocksNoOtherBeyondItsLease() {
		Duration lease = atLeastShortest(Duration.ofMillis(1500));
		ProxiedNode proxied = proxiedNode((settings) -> settings.renewalLeaseTime(lease));
		List<LockType> types = typesWithWaiters();
		List<LockHandle> handles = hold(node(), types);
		List<CompletableFuture<LockHandle>> waiting = types.stream()
			.map((type) -> proxied.template().acquireAsync(waiterRequest(type).withWaitTime(Duration.ofMinutes(10))))
			.toList();
		awaitPlaces(waiting);
		proxied.network((proxy) -> proxy.blackHole());
		handles.forEach(LockHandle::close);
		serveNext(types, lease).forEach(LockHandle::close);
		waiting.forEach((each) -> each.cancel(false));
	}

	@Test
	final void unclosedHandleBlocksNoOtherBeyondItsLease() {
		LockTemplate node = node();
		List<LockHandle> forgotten = types().stream()
			.map((type) -> node.acquire(request(type, "forgotten").withLeaseTime(shortLease())))
			.toList();
		Patience.await().until(() -> forgotten.stream().noneMatch(LockHandle::isValid));
		// both the thread that acquired it and another one acquire it again
		for (LockType type : types()) {
			try (LockHandle again = node.acquire(request(type, "forgotten"))) {
				assertThat(again.isValid()).as("%s", type).isTrue();
			}
			CompletableFuture.supplyAsync(() -> node.acquire(request(type, "forgotten")), OTHER_THREAD)
				.orTimeout(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS)
				.join()
				.close();
		}
		forgotten.forEach(LockHandle::close);
	}

	@Test
	final void threeNodesCreateTheSchemaAtTheSameTime() {
		Supplier<Runnable> newSchema = source().faults().newSchema();
		Assumptions.assumeTrue(newSchema != null, "the source names no schema to create");
		for (int round = 0; round < (THOROUGH ? 50 : 5); round++) {
			Runnable create = newSchema.get();
			CyclicBarrier start = new CyclicBarrier(3);
			CompletableFuture<?>[] nodes = new CompletableFuture<?>[start.getParties()];
			for (int i = 0; i < nodes.length; i++) {
				nodes[i] = new CompletableFuture<>().completeAsync(() -> {
					try {
						start.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
					}
					catch (Exception ex) {
						throw new IllegalStateException("The nodes did not start together", ex);
					}
					create.run();
					return null;
				}, OTHER_THREAD);
			}
			get(CompletableFuture.allOf(nodes));
		}
	}

	/**
	 * Wait until waiters have their places in the queue. Nothing reports that, so it is a
	 * fixed time.
	 */
	static void awaitPlaces(List<? extends CompletableFuture<?>> waiting) {
		Patience.await("places")
			.during(Duration.ofMillis(400))
			.untilAsserted(() -> assertThat(waiting).allSatisfy((each) -> assertThat(each).isNotDone()));
	}

	final List<LockType> typesWithWaiters() {
		return isCapableOf(LockCapability.FAIR) ? List.of(LockType.EXCLUSIVE, LockType.FAIR)
				: List.of(LockType.EXCLUSIVE);
	}

	private LockRequest waiterRequest(LockType type) {
		return LockRequest.of(key() + "waiter" + type).withType(type);
	}

	private List<LockHandle> hold(LockTemplate holder, List<LockType> types) {
		return types.stream().map((type) -> get(holder.acquireAsync(waiterRequest(type)))).toList();
	}

	private ChildJvm startWaiter(List<LockType> types, Duration lease) {
		List<String> arguments = new ArrayList<>(List.of(source().factory().getName(), key() + "waiter",
				Long.toString(lease.toMillis()), types.stream().map(LockType::name).collect(Collectors.joining(","))));
		arguments.addAll(source().arguments());
		ChildJvm waiter = ChildJvm.start(KitWaiter.class, arguments.toArray(String[]::new));
		assertThat(waiter.awaitLine("WAITING")).isEqualTo("WAITING true");
		return waiter;
	}

	/**
	 * Return the fencing token of each lock type that a waiter was granted, zero if there
	 * is none.
	 */
	private static Map<String, Long> heldBy(ChildJvm waiter) {
		return waiter.lines()
			.stream()
			.filter((line) -> line.startsWith("HELD "))
			.map((line) -> line.split(" ", -1))
			.collect(Collectors.toMap((words) -> words[1], (words) -> Long.valueOf(words[2])));
	}

	/**
	 * Check that the place of a waiter that is gone keeps the key for one lease at most.
	 */
	private List<LockHandle> serveNext(List<LockType> types, Duration lease) {
		LockTemplate next = node();
		return types.stream()
			.map((type) -> get(next.acquireAsync(waiterRequest(type).withWaitTime(lease.plus(PATIENCE)))))
			.toList();
	}

}
