package io.distributedlock.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.server.TcpProxy;
import io.distributedlock.test.server.TcpProxy.Direction;

/**
 * Writers that go on reading, readers, and networks that fail at random.
 */
@SuppressWarnings("all")
final class BrokenCuts {

	final AtomicInteger downgrades = new AtomicInteger();

	final Collection<Hold> holds = new ConcurrentLinkedQueue<>();

	private final Random random;

	private final LockRequest key;

	BrokenCuts(long seed, LockRequest key) {
		this.random = new Random(seed);
		this.key = key.withWaitTime(Duration.ofSeconds(1));
	}

	List<String> run(int serverPort, IntFunction<LockProvider> factory, Duration time) throws Exception {
		List<TcpProxy> proxies = new ArrayList<>();
		List<DefaultLockTemplate> nodes = new ArrayList<>();
		List<LockProvider> providers = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			TcpProxy proxy = new TcpProxy(serverPort);
			proxies.add(proxy);
			LockProvider provider = factory.apply(proxy.port());
			providers.add(provider);
			nodes.add(DefaultLockTemplate.builder()
				.provider(provider)
				.renewalLeaseTime(Duration.ofMillis(800))
				.pollInterval(Duration.ofMillis(50))
				.commandTimeout(Duration.ofMillis(700))
				.build());
		}
		long end = System.nanoTime() + time.toNanos();
		ExecutorService threads = Executors.newFixedThreadPool(6);
		try {
			List<Future<?>> work = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				int node = i / 2;
				int number = i;
				work.add(threads.submit(() -> {
					while (System.nanoTime() - end < 0) {
						hold(nodes.get(node), number);
					}
				}));
			}
			while (System.nanoTime() - end < 0) {
				disturb(proxies.get(this.random.nextInt(3)));
			}
			for (Future<?> each : work) {
				each.get(90, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
			proxies.forEach(TcpProxy::heal);
			nodes.forEach(DefaultLockTemplate::close);
			providers.forEach(LockProvider::close);
			proxies.forEach(TcpProxy::close);
		}
		return conflicts();
	}

	private List<String> conflicts() {
		List<String> found = new ArrayList<>();
		List<Hold> all = List.copyOf(this.holds);
		for (Hold writer : all) {
			if (!writer.writes()) {
				continue;
			}
			for (Hold other : all) {
				if (other != writer && other.from() - writer.until() < 0 && writer.from() - other.until() < 0) {
					found.add("%s and %s overlap by %d us".formatted(writer, other,
							(Math.min(writer.until(), other.until()) - Math.max(writer.from(), other.from())) / 1000));
				}
			}
		}
		return found;
	}

	private void hold(DefaultLockTemplate node, int number) {
		ThreadLocalRandom chance = ThreadLocalRandom.current();
		LockRequest request = switch (chance.nextInt(3)) {
			case 0 -> this.key.withLeaseTime(Duration.ofMillis(300 + chance.nextInt(1500)));
			default -> this.key;
		};
		try {
			if (chance.nextInt(3) == 0) {
				try (LockHandle reader = node.acquire(request.withType(LockType.READ))) {
					hold(reader, number, false, millis());
				}
				return;
			}
			LockHandle writer = node.acquire(request.withType(LockType.WRITE));
			LockHandle reader = null;
			try {
				reader = node.acquire(request.withType(LockType.READ));
				hold(writer, number, true, millis() / 2);
				if (chance.nextInt(4) == 0) {
					reader.extendAsync(Duration.ofMillis(200 + chance.nextInt(2000)));
				}
				if (chance.nextBoolean()) {
					writer.closeAsync();
				}
				else {
					writer.close();
				}
				this.downgrades.incrementAndGet();
				hold(reader, number, false, millis());
			}
			finally {
				writer.close();
				if (reader != null) {
					reader.close();
				}
			}
		}
		catch (LockException ex) {
			// what the network does to it
		}
	}

	private static int millis() {
		ThreadLocalRandom chance = ThreadLocalRandom.current();
		return (chance.nextInt(8) == 0) ? 1500 : chance.nextInt(30);
	}

	private void hold(LockHandle handle, int number, boolean writes, int millis) {
		long from = System.nanoTime();
		long until = from;
		boolean held = false;
		for (long now = from; now - from <= TimeUnit.MILLISECONDS.toNanos(millis) && handle.isValid(); now = System
			.nanoTime()) {
			held = true;
			until = now;
			LockSupport.parkNanos(200_000);
		}
		if (held) {
			this.holds.add(new Hold(number, writes, from, until));
		}
	}

	private void disturb(TcpProxy proxy) throws InterruptedException {
		int number = this.random.nextInt(3);
		switch (this.random.nextInt(8)) {
			case 0 -> proxy.cut();
			case 1 -> proxy.cutAt(Direction.REPLIES, number, 1);
			case 2 -> proxy.cutAt(Direction.REQUESTS, number, 1);
			case 3 -> proxy.delay(Direction.REPLIES, Duration.ofMillis(20));
			case 4 -> proxy.hold();
			case 5 -> proxy.blackHole();
			case 6 -> proxy.hold(Direction.REQUESTS);
			default -> {
				proxy.refuse();
				proxy.cut();
			}
		}
		Thread.sleep((this.random.nextInt(5) == 0) ? 1200 : 30 + this.random.nextInt(200));
		proxy.heal();
		proxy.delay(Direction.REPLIES, Duration.ZERO);
		Thread.sleep(this.random.nextInt(150));
	}

	record Hold(int number, boolean writes, long from, long until) {
	}

}
