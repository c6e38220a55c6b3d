package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that somebody gets a free key within a bounded time while many calls come that
 * end soon, and that these calls leave nothing behind.
 */
abstract class StormContract extends CrowdContract {

	private static final Logger logger = LoggerFactory.getLogger(StormContract.class);

	/**
	 * How long a storm lasts, in cycles of a caller that has a key for itself.
	 */
	private static final int CYCLES = THOROUGH ? 2000 : 200;

	/**
	 * How many of these cycles a key may be without an owner. Calls that end before a
	 * grant could reach them may miss it many times in a row, on a busy machine more
	 * often; where nobody is granted the key at all, that lasts as long as the storm.
	 */
	private static final int LONGEST_GAP = 130;

	@Test
	final void callsThatDoNotWaitAreGranted() throws Exception {
		List<StormCall> calls = List.of(StormCall.AT_ONCE);
		List<DefaultLockTemplate> nodes = nodes();
		for (LockType type : stormyTypes()) {
			storm(type, nodes.subList(0, 1), 2, 8, calls);
			if (THOROUGH) {
				storm(type, nodes, 1, 24, calls);
				storm(type, nodes, 6, 24, calls);
			}
		}
	}

	@Test
	final void callsThatEndSoonAreGranted() throws Exception {
		List<StormCall> calls = List.of(StormCall.values());
		List<DefaultLockTemplate> nodes = nodes();
		for (LockType type : stormyTypes()) {
			storm(type, nodes, 1, 6, calls);
			if (THOROUGH) {
				storm(type, nodes.subList(0, 1), 2, 24, calls);
				storm(type, nodes, 6, 24, calls);
			}
		}
	}

	/**
	 * Return the types that are asked for most, unless there is time for all.
	 */
	private List<LockType> stormyTypes() {
		return types().stream()
			.filter((type) -> THOROUGH || type == LockType.EXCLUSIVE || type == LockType.FAIR)
			.toList();
	}

	private List<DefaultLockTemplate> nodes() {
		return Stream.generate(this::node).limit(3).toList();
	}

	private void storm(LockType type, List<DefaultLockTemplate> nodes, int keys, int threads, List<StormCall> calls)
			throws Exception {
		String name = "%s-%s-%s-%s-%s".formatted(type, nodes.size(), keys, threads, calls.size());
		AtomicLong cycles = new AtomicLong();
		List<StormKey> wanted = IntStream.range(0, keys)
			.mapToObj((i) -> new StormKey(request(type, name + i).withWaitTime(PATIENCE), cycles))
			.toList();
		AtomicReference<Duration> lastCycle = new AtomicReference<>(Duration.ofMillis(10));
		AtomicBoolean over = new AtomicBoolean();
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				LockTemplate caller = nodes.get(i % nodes.size());
				StormKey key = wanted.get((i / nodes.size()) % keys);
				running.add(pool.submit(() -> {
					while (!over.get()) {
						call(caller, key, calls.get(ThreadLocalRandom.current().nextInt(calls.size())),
								lastCycle.get());
					}
				}));
			}
			LockTemplate alone = nodes.get(nodes.size() - 1);
			LockRequest own = LockRequest.of(key() + name + "alone").withWaitTime(PATIENCE);
			while (cycles.get() < CYCLES) {
				long start = System.nanoTime();
				alone.execute(own, StormContract::work);
				lastCycle.set(Duration.ofNanos(System.nanoTime() - start));
				cycles.incrementAndGet();
			}
			over.set(true);
			for (Future<?> each : running) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		}
		finally {
			over.set(true);
			pool.shutdownNow();
		}
		logger.info("Storm {}: {}", name, wanted);
		for (StormKey key : wanted) {
			assertThat(key.overlaps()).as("%s in storm %s: too many owners", key, name).isZero();
			assertThat(key.longestGap()).as("%s in storm %s", key, name).isLessThan(LONGEST_GAP);
		}
		assertFree(nodes.get(0), wanted.stream().map(StormKey::request).toList());
	}

	private static void call(LockTemplate caller, StormKey key, StormCall call, Duration cycle) {
		try (LockHandle handle = call.call(caller, key.request(), cycle)) {
			if (handle != null) {
				key.enter();
				work();
				handle.ensureHeld();
				key.leave();
				return;
			}
		}
		catch (LockUnavailableException ex) {
			// the machine is too busy for an answer in time
		}
		key.refused();
		// otherwise those that are refused in this JVM have all processors
		LockSupport.parkNanos(500_000);
	}

	private static void work() {
		LockSupport.parkNanos(1_000_000);
	}

}
