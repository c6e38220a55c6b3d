package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.network.TcpProxy.Direction;
import io.distributedlock.test.patience.Patience;

/**
 * Lets several nodes acquire one key while their networks fail at random. Each holder
 * records from when until when its handle was valid.
 */
final class RandomCuts {

	private final List<ProxiedNode> nodes;

	private final LockRequest request;

	private final Random random;

	private final Collection<Hold> holds = new ConcurrentLinkedQueue<>();

	RandomCuts(List<ProxiedNode> nodes, LockRequest request, long seed) {
		this.nodes = nodes;
		this.request = request.withWaitTime(Duration.ofSeconds(1));
		this.random = new Random(seed);
	}

	/**
	 * Let the networks fail for some time, while two threads on each node acquire the
	 * key. On a busy machine that takes until one of them has had it.
	 * @return the holders, in the order in which they began
	 */
	List<Hold> run(Duration time) throws Exception {
		long end = System.nanoTime() + time.toNanos();
		ExecutorService threads = Executors.newFixedThreadPool(this.nodes.size() * 2);
		try {
			List<Future<?>> work = new ArrayList<>();
			for (int i = 0; i < this.nodes.size() * 2; i++) {
				ProxiedNode node = this.nodes.get(i / 2);
				work.add(threads.submit(() -> {
					while (isToGoOn(end)) {
						hold(node);
					}
				}));
			}
			while (isToGoOn(end)) {
				disturb(this.nodes.get(this.random.nextInt(this.nodes.size())));
			}
			for (Future<?> each : work) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
		return this.holds.stream().sorted(Comparator.comparingLong(Hold::from)).toList();
	}

	private boolean isToGoOn(long endNanos) {
		long over = System.nanoTime() - endNanos;
		return over < 0 || (this.holds.isEmpty() && over < Patience.LIMIT.toNanos() / 2);
	}

	static List<String> overlaps(List<Hold> holds) {
		List<String> overlaps = new ArrayList<>();
		Hold latest = null;
		for (Hold hold : holds) {
			if (latest != null && hold.from() - latest.until() < 0) {
				overlaps.add("%s began %s us before the end of %s".formatted(hold,
						(latest.until() - hold.from()) / 1000, latest));
			}
			if (latest == null || hold.until() - latest.until() > 0) {
				latest = hold;
			}
		}
		return overlaps;
	}

	static List<String> tokensThatDoNotRise(List<Hold> holds) {
		List<String> wrong = new ArrayList<>();
		Hold before = null;
		for (Hold hold : holds) {
			if (before != null && hold.token().isPresent()
					&& hold.token().getAsLong() <= before.token().orElse(Long.MIN_VALUE)) {
				wrong.add("%s comes after %s".formatted(hold, before));
			}
			before = hold;
		}
		return wrong;
	}

	/**
	 * Find holders whose token is not higher than that of a holder that had begun before
	 * they asked. Only this can be checked if a lock may end before its holder has begun.
	 */
	static List<String> tokensOlderThanTheirCalls(List<Hold> holds) {
		List<String> wrong = new ArrayList<>();
		for (Hold hold : holds) {
			for (Hold before : holds) {
				if (before.from() - hold.asked() < 0
						&& hold.token().orElse(Long.MAX_VALUE) <= before.token().orElse(Long.MIN_VALUE)) {
					wrong.add("%s asked after %s had begun, but its token is not higher".formatted(hold, before));
				}
			}
		}
		return wrong;
	}

	private void hold(ProxiedNode node) {
		// one in ten works for longer than a lease that is no longer renewed
		int millis = (ThreadLocalRandom.current().nextInt(10) == 0) ? 1500 : ThreadLocalRandom.current().nextInt(10);
		long asked = System.nanoTime();
		try (LockHandle handle = node.template().acquire(this.request)) {
			long from = System.nanoTime();
			long until = from;
			boolean held = false;
			for (long now = from; now - from <= TimeUnit.MILLISECONDS.toNanos(millis)
					&& handle.isValid(); now = System.nanoTime()) {
				held = true;
				until = now;
				LockSupport.parkNanos(200_000);
			}
			if (held) {
				this.holds.add(new Hold(this.nodes.indexOf(node), asked, from, until, handle.fencingToken()));
			}
		}
		catch (LockException ex) {
			// failures are expected: only a second holder would be a fault
		}
	}

	private void disturb(ProxiedNode node) {
		int number = this.random.nextInt(3);
		switch (this.random.nextInt(7)) {
			case 0 -> node.network(TcpProxy::cut);
			case 1 -> node.lose(Direction.REPLIES, number);
			case 2 -> node.lose(Direction.REQUESTS, number);
			case 3 -> node.network((proxy) -> proxy.delay(Direction.REPLIES, Duration.ofMillis(20)));
			case 4 -> node.network(TcpProxy::hold);
			case 5 -> node.network(TcpProxy::blackHole);
			default -> node.network((proxy) -> {
				proxy.refuse();
				proxy.cut();
			});
		}
		// one in five lasts for longer than a lease
		sleep((this.random.nextInt(5) == 0) ? 1200 : 30 + this.random.nextInt(200));
		node.heal();
		sleep(this.random.nextInt(100));
	}

	private static void sleep(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * One holder, with the times at which its handle was valid.
	 *
	 * @param node the number of the node
	 * @param asked the time just before its call, in nanoseconds
	 * @param from the time just after it had acquired the lock, in nanoseconds
	 * @param until the last time at which its handle was valid, in nanoseconds
	 * @param token its fencing token
	 */
	record Hold(int node, long asked, long from, long until, OptionalLong token) {
	}

}
