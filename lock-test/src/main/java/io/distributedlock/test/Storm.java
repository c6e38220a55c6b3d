package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.test.patience.Patience;

/**
 * Many calls for some keys, in this JVM or in several that share its numbers. Callers ask
 * again and again until the storm is over.
 */
final class Storm {

	/**
	 * How long a refused caller pauses, for each thread of the storm: so a storm makes as
	 * many calls a second, however many threads it has.
	 */
	private static final long PAUSE_NANOS = 100_000;

	/**
	 * A test may take two minutes, in which it has two storms.
	 */
	private static final long LONGEST_NANOS = Patience.LIMIT.dividedBy(2).toNanos();

	private final List<StormKey> keys;

	private final List<StormCall> calls;

	private final int threads;

	private final SharedNumber cycles;

	private final SharedNumber lastCycleNanos;

	/**
	 * Create a storm.
	 * @param types the types of lock that the calls ask for
	 * @param key the beginning of its keys
	 * @param keys the number of keys
	 * @param threads how many threads call, in all JVMs together
	 * @param kinds how many kinds of calls there are
	 * @param numbers what its JVMs share
	 */
	Storm(List<LockType> types, String key, int keys, int threads, int kinds, Iterator<SharedNumber> numbers) {
		this.threads = threads;
		this.calls = List.of(StormCall.values()).subList(0, kinds);
		this.cycles = numbers.next();
		this.lastCycleNanos = numbers.next();
		this.keys = IntStream.range(0, keys)
			.mapToObj((i) -> new StormKey(types.stream()
				.map((type) -> KitNodes.requestForKey(type, key + i).withWaitTime(KitNodes.PATIENCE))
				.toList(), this.cycles, numbers))
			.toList();
	}

	List<StormKey> keys() {
		return this.keys;
	}

	/**
	 * Let a caller that has a key for itself go through some cycles, or through fewer on
	 * a machine that is too busy for them.
	 */
	void cycle(LockTemplate node, LockRequest own, int wanted) {
		long begin = System.nanoTime();
		while (this.cycles.get() < wanted && System.nanoTime() - begin < LONGEST_NANOS) {
			long start = System.nanoTime();
			node.execute(own, Storm::work);
			this.lastCycleNanos.set(System.nanoTime() - start);
			this.cycles.add(1);
		}
	}

	/**
	 * Call from this JVM.
	 * @param jvms how many JVMs share the threads
	 * @param until returns when the storm is over
	 */
	void rage(List<? extends LockTemplate> nodes, int jvms, Until until) throws Exception {
		int own = this.threads / jvms;
		AtomicBoolean over = new AtomicBoolean();
		ExecutorService pool = Executors.newFixedThreadPool(own);
		try {
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < own; i++) {
				LockTemplate caller = nodes.get(i % nodes.size());
				StormKey key = this.keys.get((i / nodes.size()) % this.keys.size());
				running.add(pool.submit(() -> {
					while (!over.get()) {
						call(caller, key);
					}
				}));
			}
			until.await();
			over.set(true);
			for (Future<?> each : running) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		}
		finally {
			over.set(true);
			pool.shutdownNow();
		}
	}

	private void call(LockTemplate caller, StormKey key) {
		StormCall call = this.calls.get(ThreadLocalRandom.current().nextInt(this.calls.size()));
		// before the first cycle, a guess
		Duration cycle = Duration.ofNanos(Math.max(1_000_000, this.lastCycleNanos.get()));
		LockRequest request = key.anyRequest();
		try (LockHandle handle = call.call(caller, request, cycle)) {
			if (handle != null) {
				key.enter(request);
				work();
				handle.ensureHeld();
				key.leave(request);
				return;
			}
		}
		catch (LockUnavailableException ex) {
			// the machine is too busy for an answer in time
		}
		key.refused();
		// otherwise many threads have all processors, and what the system gives to a
		// release decides how long the key has no owner
		LockSupport.parkNanos(this.threads * PAUSE_NANOS);
	}

	private static void work() {
		LockSupport.parkNanos(1_000_000);
	}

	/**
	 * Waits for the end of a storm.
	 */
	@FunctionalInterface
	interface Until {

		void await() throws Exception;

	}

}
