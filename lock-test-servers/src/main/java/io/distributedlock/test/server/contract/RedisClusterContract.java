package io.distributedlock.test.server.contract;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of a provider on a Redis cluster of three primaries, whatever its client: all
 * keys of a lock are in one slot, and a release is heard whichever node it was published
 * on.
 *
 * @since 0.1
 */
public abstract class RedisClusterContract {

	private static final Duration POLL = Duration.ofMillis(200);

	private static RedisTestCluster cluster;

	/**
	 * For the sub-class that names the client.
	 */
	protected RedisClusterContract() {
	}

	@BeforeAll
	static void startCluster() {
		cluster = RedisTestCluster.run();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	/**
	 * Return the cluster, which is shared by the tests of a class.
	 * @return the cluster
	 */
	protected static RedisTestCluster cluster() {
		return cluster;
	}

	/**
	 * Create a provider on the cluster.
	 * @return the provider, which the test closes
	 */
	protected abstract LockProvider provider();

	/**
	 * Write a value by the provider's fenced resource.
	 * @param key the key
	 * @param value the value
	 * @param token the fencing token
	 */
	protected abstract void writeFenced(String key, String value, long token);

	@Test
	final void releaseOnAnyNodeWakesItsWaiter() {
		try (LockProvider first = provider();
				LockProvider second = provider();
				DefaultLockTemplate holder = template(first, Duration.ofMinutes(10));
				DefaultLockTemplate waiter = template(second, Duration.ofMinutes(10))) {
			for (int i = 0; i < 12; i++) {
				HandOver.between(holder, waiter, HandOver.request("key" + i, LockType.EXCLUSIVE));
			}
			assertThat(IntStream.range(0, 3)
				.filter((i) -> !Objects.equals(cluster.servers().get(i).command("DBSIZE"), 0L)))
				.as("nodes that keep a counter of tokens")
				.hasSize(3);
		}
	}

	@Test
	final void locksOfEachTypeKeepTheirKeysOnOneNode() {
		try (LockProvider provider = provider();
				DefaultLockTemplate holder = template(provider, Duration.ofMillis(200));
				DefaultLockTemplate waiter = template(provider, Duration.ofMillis(200))) {
			for (LockType type : LockType.values()) {
				for (int i = 0; i < 6; i++) {
					HandOver.between(holder, waiter, HandOver.request(type + ":" + i, type));
					HandOver.between(holder, waiter,
							HandOver.request("{" + i + "}订单 " + type, type).withExactKey(true));
				}
			}

		}
	}

	@Test
	final void permitsAreInTheSlotOfTheirKeyWhateverItIs() {
		try (LockProvider provider = provider(); DefaultLockTemplate holder = template(provider, POLL)) {
			for (String key : List.of("slot of", "{slot}:of", "slot:{of}:订单")) {
				LockRequest request = HandOver.request(key, LockType.SEMAPHORE).withExactKey(true);
				holder.execute(request, () -> assertThat(cluster.keysBeside(key)).as(key)
					.anyMatch((beside) -> beside.contains(key) && beside.contains(":permits")));
			}
		}
	}

	@Test
	final void lockIsReleasedWhileItsSlotBeginsToMove() {
		try (LockProvider provider = provider(); DefaultLockTemplate holder = template(provider, POLL)) {
			LockRequest request = LockRequest.of("moves:free").withWaitTime(Duration.ofSeconds(10));
			LockHandle handle = holder.acquire(request.withLeaseTime(Duration.ofMinutes(5)));
			cluster.beginMoveOfSlotOf(handle.key());
			handle.close();
			// until then the server lets nobody make a key that has others beside it
			cluster.moveSlotOf(handle.key());
			holder.acquire(request).close();
		}
	}

	@Test
	final void lockIsHandedOverWhileItsSlotBeginsToMove() {
		try (LockProvider first = provider();
				LockProvider second = provider();
				DefaultLockTemplate holder = template(first, POLL);
				DefaultLockTemplate waiter = template(second, POLL)) {
			LockRequest request = LockRequest.of("moves:awaited").withWaitTime(Duration.ofSeconds(20));
			LockHandle handle = holder.acquire(request.withLeaseTime(Duration.ofMinutes(5)));
			CompletableFuture<LockHandle> waiting = waitInASlotThatBeginsToMove(waiter, request, handle.key());
			handle.close();
			assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies((next) -> {
				next.ensureHeld();
				cluster.moveSlotOf(handle.key());
				next.close();
			});
		}
	}

	@Test
	final void callWaitsOnWhileItsLineIsMissingFromASlotThatBeginsToMove() {
		try (LockProvider first = provider();
				LockProvider second = provider();
				DefaultLockTemplate holder = template(first, POLL);
				DefaultLockTemplate waiter = template(second, POLL)) {
			LockRequest request = LockRequest.of("moves:line").withWaitTime(Duration.ofSeconds(20));
			LockHandle handle = holder.acquire(request.withLeaseTime(Duration.ofMinutes(5)));
			CompletableFuture<LockHandle> waiting = waitInASlotThatBeginsToMove(waiter, request, handle.key());
			RedisTestServer node = cluster.primaryOf(handle.key());
			node.command("DEL", line(handle.key()).orElseThrow());
			long scripts = node.commandCalls().getOrDefault("evalsha", 0L);
			Patience.await().until(() -> node.commandCalls().getOrDefault("evalsha", 0L) > scripts + 1);
			assertThat(waiting).isNotDone();
			cluster.moveSlotOf(handle.key());
			handle.close();
			assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	/**
	 * A second line on the node that gets the slot would keep the first from moving.
	 */
	@Test
	final void lineIsNotBegunAgainWhileItsSlotIsHalfMoved() {
		lineIsNotBegunAgain(LockType.EXCLUSIVE, ":alive");
		// some leave nothing where they wait
		lineIsNotBegunAgain(LockType.WRITE, "");
		lineIsNotBegunAgain(LockType.READ, "");
	}

	private void lineIsNotBegunAgain(LockType type, String left) {
		try (LockProvider first = provider();
				LockProvider second = provider();
				LockProvider third = provider();
				DefaultLockTemplate holder = template(first, POLL);
				DefaultLockTemplate waiter = template(second, POLL);
				DefaultLockTemplate late = template(third, POLL)) {
			LockRequest request = LockRequest.of("moves:half:" + type).withType(type).withWaitTime(Patience.LIMIT);
			LockHandle handle = holder.acquire(request.withLeaseTime(Duration.ofMinutes(5))
				.withType((type == LockType.READ) ? LockType.WRITE : type));
			CompletableFuture<Void> waiting = waiter.acquireAsync(request).thenAccept(LockHandle::close);
			String key = handle.key();
			Patience.await().until(() -> cluster.keysBeside(key).stream().anyMatch((each) -> each.endsWith(left)));
			cluster.beginMoveWith(cluster.keysBeside(key)
				.stream()
				.filter((each) -> !each.endsWith(":line") && !each.endsWith(":alive"))
				.toList());
			long asked = redirections();
			CompletableFuture<Void> coming = late.acquireAsync(request).thenAccept(LockHandle::close);
			Patience.await().until(() -> redirections() > asked + 3);
			cluster.moveSlotOf(key);
			handle.close();
			assertThat(waiting).succeedsWithin(Patience.LIMIT);
			assertThat(coming).succeedsWithin(Patience.LIMIT);
		}
	}

	@Test
	final void ownersOnAnyNodeAreShownAndCanBeReleased() {
		try (LockProvider provider = provider();
				DefaultLockTemplate holder = template(provider, Duration.ofMillis(200));
				DefaultLockTemplate waiter = template(provider, Duration.ofMillis(200))) {
			for (LockType type : LockType.values()) {
				for (int i = 0; i < 6; i++) {
					HandOver.forced(holder, waiter, provider, HandOver.request("forced:" + type + i, type));
					HandOver.forced(holder, waiter, provider,
							HandOver.request("a{" + i + "}:锁" + type, type).withExactKey(true));
				}
			}
		}
	}

	@Test
	final void fencedValueIsOnTheNodeOfItsKey() {
		for (String key : List.of("plain", "price:1", "{price:1}:net", "a{b}c")) {
			writeFenced(key, "new", 2);
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> writeFenced(key, "late", 1));
		}
	}

	private static CompletableFuture<LockHandle> waitInASlotThatBeginsToMove(DefaultLockTemplate waiter,
			LockRequest request, String key) {
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request);
		Patience.await().until(() -> line(key).isPresent());
		cluster.beginMoveOfSlotOf(key);
		return waiting;
	}

	/**
	 * Return how many commands a node has sent on to the one that gets their slot.
	 */
	private static long redirections() {
		return cluster.servers().stream().mapToLong((server) -> server.commandCalls().getOrDefault("asking", 0L)).sum();
	}

	private static Optional<String> line(String key) {
		return cluster.keysBeside(key).stream().filter((each) -> each.endsWith(":line")).findFirst();
	}

	private static DefaultLockTemplate template(LockProvider provider, Duration pollInterval) {
		return DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Patience.LIMIT)
			.pollInterval(pollInterval)
			.build();
	}

}
