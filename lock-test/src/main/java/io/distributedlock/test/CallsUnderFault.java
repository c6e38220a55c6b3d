package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.RandomCuts.Hold;
import io.distributedlock.test.patience.Patience;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets calls go on while the servers of a backend fail: two threads for each of a few
 * keys, on different nodes, acquire it, hold and extend it, and release it. After each
 * fault every node must acquire a further key. For tests of a provider with faults that
 * the kit does not know.
 * <p>
 * Each fault happens once, and with {@code -Dlock.kit.faults=long} five times.
 *
 * @since 0.1
 */
public final class CallsUnderFault implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(CallsUnderFault.class);

	private static final int KEYS = 3;

	private final List<DefaultLockTemplate> nodes;

	private final Duration leaseTime;

	private int rounds;

	/**
	 * Whether holders keep their locks, and extend them.
	 */
	private volatile boolean holding;

	private volatile boolean over;

	/**
	 * How many holders have begun to keep a lock and have not ended.
	 */
	private final AtomicInteger holders = new AtomicInteger();

	/**
	 * Create a node for each provider.
	 * @param providers the providers, with clients of their own
	 * @param leaseTime the lease time of all locks
	 */
	public CallsUnderFault(List<? extends LockProvider> providers, Duration leaseTime) {
		this.nodes = providers.stream()
			.map((provider) -> DefaultLockTemplate.builder()
				.provider(provider)
				.keyPrefix("kit")
				.commandTimeout(KitNodes.COMMAND_TIMEOUT)
				.renewalLeaseTime(leaseTime)
				.pollInterval(Duration.ofMillis(100))
				.waitThroughOutage(true)
				.build())
			.toList();
		this.leaseTime = leaseTime;
	}

	/**
	 * Return whether this build has time for such tests: with
	 * {@code -Dlock.kit.faults=long} or {@code -Dlock.test.one-generation=false}.
	 * @return {@code true} if so
	 */
	public static boolean haveTime() {
		return KitNodes.THOROUGH || "false".equals(System.getProperty("lock.test.one-generation"));
	}

	/**
	 * Check that at most one handle of a key is valid at any time, and that tokens rise.
	 * @param longest how long a fault lasts at most
	 * @param faults the faults by name; each begins when it is called, and returns what
	 * ends it
	 * @throws Exception if a call ends with anything but a {@link LockException}
	 */
	public void haveOneOwnerAtATime(Duration longest, Map<String, Supplier<Runnable>> faults) throws Exception {
		check(longest, faults, Map.of("holders at the same time", RandomCuts::overlaps, "tokens that do not rise",
				RandomCuts::tokensThatDoNotRise));
	}

	/**
	 * Check only that tokens rise, where a fault takes locks from their owners.
	 * @param longest how long a fault lasts at most
	 * @param faults the faults as for {@link #haveOneOwnerAtATime}
	 * @throws Exception if a call ends with anything but a {@link LockException}
	 */
	public void haveRisingTokens(Duration longest, Map<String, Supplier<Runnable>> faults) throws Exception {
		check(longest, faults, Map.of("tokens that do not rise", RandomCuts::tokensOlderThanTheirCalls));
	}

	private void check(Duration longest, Map<String, Supplier<Runnable>> faults,
			Map<String, Function<List<Hold>, List<String>>> checks) throws Exception {
		for (int i = 0; i < (KitNodes.THOROUGH ? 5 : 1); i++) {
			for (Map.Entry<String, Supplier<Runnable>> fault : faults.entrySet()) {
				double part = KitNodes.THOROUGH ? 1 - ThreadLocalRandom.current().nextDouble(0.7) : 1;
				Duration lasting = Duration.ofMillis((long) (longest.toMillis() * part));
				List<Collection<Hold>> holds = round(fault.getValue(), lasting);
				logger.info("{} for {} ms: {} holders", fault.getKey(), lasting.toMillis(),
						holds.stream().mapToInt(Collection::size).sum());
				for (Collection<Hold> ofKey : holds) {
					List<Hold> sorted = ofKey.stream().sorted(Comparator.comparingLong(Hold::from)).toList();
					checks.forEach((what, check) -> assertThat(check.apply(sorted).stream().limit(3))
						.as("%s: %s for %s ms", what, fault.getKey(), lasting.toMillis())
						.isEmpty());
				}
			}
		}
	}

	/**
	 * Cause a fault while calls go on.
	 * @return the holders of each key
	 */
	private List<Collection<Hold>> round(Supplier<Runnable> fault, Duration lasting) throws Exception {
		String round = "round" + ++this.rounds;
		List<Collection<Hold>> holds = IntStream.range(0, KEYS)
			.<Collection<Hold>>mapToObj((i) -> new ConcurrentLinkedQueue<>())
			.toList();
		this.over = false;
		this.holding = true;
		ExecutorService threads = Executors.newFixedThreadPool(KEYS * 2);
		try {
			List<Future<?>> work = new ArrayList<>();
			for (int i = 0; i < KEYS * 2; i++) {
				int key = i % KEYS;
				int node = (i / KEYS + key) % this.nodes.size();
				LockRequest request = LockRequest.of(round + "-" + key).withWaitTime(Duration.ofSeconds(1));
				work.add(threads.submit(() -> {
					while (!this.over) {
						hold(node, request, holds.get(key));
					}
				}));
			}
			Patience.await("a holder of each key").until(() -> this.holders.get() >= KEYS);
			Runnable cure = fault.get();
			try {
				LockSupport.parkNanos(lasting.toNanos());
			}
			finally {
				cure.run();
			}
			this.holding = false;
			long cured = System.nanoTime();
			for (LockTemplate node : this.nodes) {
				node.acquire(LockRequest.of(round + "-after").withWaitTime(Patience.LIMIT)).close();
			}
			logger.info("Every node works {} ms after the fault",
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - cured));
			Patience.await("the end of what was held during the fault").until(() -> this.holders.get() == 0);
			this.over = true;
			for (Future<?> each : work) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		}
		finally {
			this.over = true;
			this.holding = false;
			threads.shutdownNow();
		}
		return holds;
	}

	private void hold(int node, LockRequest request, Collection<Hold> holds) {
		// one in two is kept by its calls alone, one by the engine
		boolean explicit = ThreadLocalRandom.current().nextBoolean();
		long asked = System.nanoTime();
		try (LockHandle handle = this.nodes.get(node)
			.acquire(explicit ? request.withLeaseTime(this.leaseTime) : request)) {
			long from = System.nanoTime();
			boolean keep = this.holding;
			this.holders.addAndGet(keep ? 1 : 0);
			try {
				long until = heldUntil(handle, explicit, keep);
				if (until - from > 0) {
					holds.add(new Hold(node, asked, from, until, handle.fencingToken()));
				}
			}
			finally {
				this.holders.addAndGet(keep ? -1 : 0);
			}
		}
		catch (LockException ex) {
			// failures are expected: only a second holder would be a fault
		}
	}

	/**
	 * Hold a lock.
	 * @return the last time at which the handle was valid, zero if there is none
	 */
	private long heldUntil(LockHandle handle, boolean explicit, boolean keep) {
		long until = 0;
		CompletableFuture<?> extension = CompletableFuture.completedFuture(null);
		for (long now = System.nanoTime(); handle.isValid(); now = System.nanoTime()) {
			until = now;
			if (this.holding && explicit && extension.isDone()) {
				extension = handle.extendAsync(this.leaseTime);
			}
			LockSupport.parkNanos(2_000_000);
			if (!this.holding && !(keep && explicit)) {
				// what is not extended after the fault ends by itself, others are
				// released
				break;
			}
		}
		return until;
	}

	@Override
	public void close() {
		this.nodes.forEach(DefaultLockTemplate::close);
	}

}
