package io.distributedlock.redisson;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Our locks beside code that uses Redisson by hand on the same name.
 */
class RedissonByHandTests extends OnOneServer {

	private static final Logger logger = LoggerFactory.getLogger(RedissonByHandTests.class);

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final Duration LOAD = Duration.ofMillis(1500);

	/**
	 * By how many times the longest wait of one side may exceed that of the other.
	 */
	private static final int TIMES = 10;

	/**
	 * Grants that are no measure: so many threads by hand may have while the thread of a
	 * waiter wakes.
	 */
	private static final int FEW = 20;

	/**
	 * For how long a side may have its turn: four JVMs in a row, each of which passes a
	 * lock from caller to caller for some milliseconds.
	 */
	private static final Duration TURN = Duration.ofMillis(20);

	@Test
	void pageTellsWhatExcludesWhat() throws IOException {
		Stream<String> head = Stream.of("| ours | "
				+ Arrays.stream(ByHand.values()).map((each) -> "`" + each.call + "`").collect(Collectors.joining(" | "))
				+ " |", "| --- |" + " --- |".repeat(ByHand.values().length));
		Stream<String> rows = Arrays.stream(LockType.values())
			.map((type) -> "| `" + type + "` | "
					+ Arrays.stream(ByHand.values())
						.map((each) -> excludes(type, each) ? "yes" : "no")
						.collect(Collectors.joining(" | "))
					+ " |");
		assertThat(Files.readString(Path.of("../../docs/providers/redisson.md")))
			.contains(Stream.concat(head, rows).collect(Collectors.joining("\n")));
	}

	/**
	 * Return whether two locks exclude each other. Each release leaves the other lock
	 * alone.
	 */
	private boolean excludes(LockType type, ByHand byHand) {
		String key = type + "-" + byHand;
		Held held = byHand.of(this.client, key);
		Lease lease = attempt(key, type);
		assertThat(lease).as(key).isNotNull();
		boolean refused = !held.take();
		assertThat(get(lease.renew(LONG))).as(key).isNotNull();
		assertThat(get(lease.release())).as(key).isTrue();
		assertThat(refused ? held.take() : held.isHeld()).as("%s after our release", key).isTrue();
		Lease second = attempt(key, type);
		assertThat(second == null).as("%s the other way round", key).isEqualTo(refused);
		assertThat(held.isHeld()).as(key).isTrue();
		held.release();
		Lease last = (second != null) ? second : attempt(key, type);
		assertThat(last).as("%s after the release by hand", key).isNotNull();
		assertThat(get(last.renew(LONG))).as("%s after the release by hand", key).isNotNull();
		assertThat(get(last.release())).as(key).isTrue();
		return refused;
	}

	@ParameterizedTest
	@ValueSource(strings = { "{tenant}:42", "lock:{42}", "订单 42" })
	void exactKeyIsTheNameOfALockByHand(String key) {
		RedissonClient second = Clients.patient(server.url());
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.keyPrefix("shop")
			.build()) {
			assertExcludes(template, second, key);
		}
		finally {
			second.shutdown();
		}
	}

	/**
	 * Check that a lock with an exact key and Redisson's own lock of that name exclude
	 * and wake each other.
	 */
	static void assertExcludes(DefaultLockTemplate template, RedissonClient client, String key) {
		LockRequest request = LockRequest.ofExactKey(key).withWaitTime(Patience.LIMIT);
		RLock byHand = client.getLock(key);
		for (LockType type : List.of(LockType.EXCLUSIVE, LockType.FAIR, LockType.WRITE, LockType.READ)) {
			LockHandle handle = template.acquire(request.withType(type));
			assertThat(byHand.tryLock()).as("%s by hand beside %s", key, type).isFalse();
			CompletableFuture<Void> waiting = lock(byHand, 7);
			Patience.await().during(Duration.ofMillis(100)).until(() -> !waiting.isDone());
			handle.close();
			assertThat(waiting).succeedsWithin(Patience.LIMIT);
			CompletableFuture<LockHandle> next = template.acquireAsync(request.withType(type));
			Patience.await().during(Duration.ofMillis(100)).until(() -> !next.isDone());
			get(byHand.unlockAsync(7));
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	/**
	 * Whoever is not told waits for the end of a lease, which no test waits for.
	 */
	@ParameterizedTest
	@EnumSource(names = { "LOCK", "FAIR", "FENCED", "READ", "WRITE" })
	void releaseWakesCodeByHand(ByHand byHand) {
		for (LockType type : List.of(LockType.EXCLUSIVE, LockType.FAIR, LockType.WRITE, LockType.READ)) {
			if (type == LockType.READ && byHand == ByHand.READ) {
				continue;
			}
			String key = "woken-" + type + "-" + byHand;
			Lease lease = Objects.requireNonNull(attempt(key, type));
			CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
				RLock lock = byHand.lock(this.client, key);
				boolean taken = tryLock(lock);
				if (taken) {
					lock.unlock();
				}
				return taken;
			}, (run) -> new Thread(run).start());
			Patience.await(key)
				.until(() -> !((List<?>) server.command("PUBSUB", "CHANNELS", "*{" + key + "}*")).isEmpty());
			assertThat(get(lease.release())).as(key).isTrue();
			assertThat(waiting).as(key).succeedsWithin(Patience.LIMIT).isEqualTo(true);
		}
	}

	/**
	 * A release by hand tells only the next in the queue.
	 */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void lineWaitsInTheQueueOfFairLocksByHand(LockType type) {
		assertThat(IntStream.range(0, 10)).anyMatch((i) -> waitsInTheQueueByHand(type + "-queued-" + i, type));
	}

	/**
	 * Return whether a line of one waited behind a thread by hand. It does not if it
	 * looks at the very moment between a release and the thread that was told.
	 */
	private boolean waitsInTheQueueByHand(String key, LockType type) {
		RLock byHand = this.client.getFairLock(key);
		assertThat(lock(byHand, 1)).succeedsWithin(Patience.LIMIT);
		Waiting second = waitInQueue(byHand, 1);
		LockQueue.Place ours = enqueue(this.provider, key, type);
		awaitQueue(key, 2);
		Waiting third = waitInQueue(byHand, 3);
		CompletableFuture<Lease> granted = ours.granted().toCompletableFuture();
		get(byHand.unlockAsync(1));
		assertThat(CompletableFuture.anyOf(second.taken(), granted)).succeedsWithin(Patience.LIMIT);
		boolean inTurn = !granted.isDone();
		if (!inTurn) {
			assertThat(get(granted.join().release())).isTrue();
		}
		assertThat(second.taken()).succeedsWithin(Patience.LIMIT);
		get(byHand.unlockAsync(second.thread()));
		if (inTurn) {
			assertThat(granted).succeedsWithin(Patience.LIMIT);
			assertThat(third.taken()).isNotDone();
			assertThat(get(granted.join().release())).isTrue();
		}
		assertThat(third.taken()).succeedsWithin(Patience.LIMIT);
		get(byHand.unlockAsync(third.thread()));
		assertThat(server.command("EXISTS", "redisson_lock_queue:{" + key + "}", "redisson_lock_timeout:{" + key + "}"))
			.isEqualTo(0L);
		return inTurn;
	}

	@Test
	void lineThatIsLeftBlocksNobodyInTheQueue() {
		RLock byHand = this.client.getFairLock("left");
		assertThat(lock(byHand, 1)).succeedsWithin(Patience.LIMIT);
		Waiting second = waitInQueue(byHand, 1);
		LockQueue.Place ours = enqueue(this.provider, "left", LockType.FAIR);
		awaitQueue("left", 2);
		Waiting third = waitInQueue(byHand, 3);
		ours.leave();
		awaitQueue("left", 2);
		get(byHand.unlockAsync(1));
		assertThat(second.taken()).succeedsWithin(Patience.LIMIT);
		get(byHand.unlockAsync(second.thread()));
		assertThat(third.taken()).succeedsWithin(Patience.LIMIT);
	}

	/**
	 * The first in the line listens to code by hand. Nobody polls.
	 */
	@Test
	void nextInTheLineListensInPlaceOfTheFirst() {
		RedissonClient second = Clients.patient(server.url());
		try (RedissonLockProvider other = new RedissonLockProvider(second)) {
			assertThat(attempt("listener", LockType.EXCLUSIVE)).isNotNull();
			LockQueue.Place first = enqueue(other, "listener", LockType.EXCLUSIVE);
			LockQueue.Place next = enqueue(this.provider, "listener", LockType.FAIR);
			RLock byHand = second.getLock("listener");
			// in one step, or a place would be granted between the two
			server.command("EVAL",
					"redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], ARGV[2])",
					"1", "listener", second.getId() + ":" + Thread.currentThread().getId(),
					String.valueOf(LONG.toMillis()));
			assertThat(byHand.isHeldByCurrentThread()).isTrue();
			first.leave();
			Patience.await("somebody listens")
				.until(() -> List.of("redisson_lock__channel:{listener}", 1L)
					.equals(server.command("PUBSUB", "NUMSUB", "redisson_lock__channel:{listener}")));
			byHand.unlock();
			assertThat(next.granted()).succeedsWithin(Patience.LIMIT);
		}
		finally {
			second.shutdown();
		}
	}

	private LockQueue.Place enqueue(RedissonLockProvider at, String key, LockType type) {
		LockQueue.Place place = at.enqueue(new LeaseRequest(key, LONG, type));
		Patience.await("a place of " + key).until(place::isBehindOthers);
		return place;
	}

	/**
	 * Wait in a thread, which misses no release, as a call of {@code lockAsync} may.
	 */
	private static Waiting waitInQueue(RLock lock, long length) {
		CompletableFuture<Void> taken = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				lock.lock(LONG.toSeconds(), TimeUnit.SECONDS);
				taken.complete(null);
			}
			catch (RuntimeException ex) {
				taken.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		awaitQueue(lock.getName(), length);
		assertThat(taken).isNotDone();
		return new Waiting(thread.getId(), taken);
	}

	private static CompletableFuture<Void> lock(RLock lock, long thread) {
		return lock.lockAsync(LONG.toSeconds(), TimeUnit.SECONDS, thread).toCompletableFuture();
	}

	private static void awaitQueue(String key, long length) {
		Patience.await("a queue of " + length)
			.until(() -> server.command("LLEN", "redisson_lock_queue:{" + key + "}").equals(length));
	}

	private static boolean tryLock(RLock lock) {
		try {
			return lock.tryLock(Patience.SECONDS / 2, Patience.SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Monitoring that listens to all channels waits for no lock, so none is left free for
	 * it.
	 */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void listenerToAPatternDelaysNobody(LockType type) {
		RedissonClient monitoring = Clients.patient(server.url());
		try {
			monitoring.getPatternTopic("*").addListener(String.class, (pattern, channel, message) -> {
			});
			for (int i = 0; i < 50; i++) {
				Lease lease = attempt("monitored", type);
				assertThat(lease).as("attempt %s", i).isNotNull();
				assertThat(get(lease.release())).isTrue();
			}
		}
		finally {
			monitoring.shutdown();
		}
	}

	/**
	 * All threads ask all the time. What is left of a wait when the load ends counts,
	 * too.
	 */
	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, LOCK", "EXCLUSIVE, FAIR", "EXCLUSIVE, FENCED", "EXCLUSIVE, WRITE", "EXCLUSIVE, READ",
			"FAIR, LOCK", "FAIR, FAIR", "FAIR, FENCED", "FAIR, WRITE", "FAIR, READ", "READ, WRITE", "WRITE, WRITE",
			"WRITE, READ" })
	void nobodyWaitsMuchLongerThanTheOtherSide(LockType type, ByHand byHand) {
		takeTurns(type, byHand, 2, Duration.ofNanos(500_000));
	}

	/**
	 * The lock is free for a moment that is short beside the sections: who only asks now
	 * and then does not find it.
	 */
	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, FAIR, 200", "FAIR, FAIR, 200", "READ, WRITE, 40", "WRITE, WRITE, 40", "WRITE, READ, 40" })
	void nobodyWaitsMuchLongerThanLongSectionsTake(LockType type, ByHand byHand, long millis) {
		takeTurns(type, byHand, 3, Duration.ofMillis(millis));
	}

	/**
	 * The other pairs of the table that exclude each other. One side may starve.
	 */
	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, SPIN", "FAIR, SPIN", "READ, LOCK", "READ, FAIR", "READ, FENCED", "READ, SPIN",
			"WRITE, LOCK", "WRITE, FAIR", "WRITE, FENCED", "WRITE, SPIN", "SEMAPHORE, PERMIT" })
	void sidesExcludeEachOtherUnderLoad(LockType type, ByHand byHand) {
		load(type, byHand, 2, Duration.ofNanos(500_000), Duration.ofMillis(300), 1);
	}

	private void takeTurns(LockType type, ByHand byHand, int callersByHand, Duration length) {
		// a busy machine may stop a caller; a side that starves does so each time
		assertThat(IntStream.range(0, 3)).as("see the log")
			.anyMatch((i) -> bothAreServed(type, byHand, callersByHand, length));
	}

	private boolean bothAreServed(LockType type, ByHand byHand, int callersByHand, Duration length) {
		Sides sides = load(type, byHand, callersByHand, length, LOAD, FEW);
		long few = FEW + TURN.dividedBy(length);
		return sides.ours.isServedBeside(sides.theirs, few) && sides.theirs.isServedBeside(sides.ours, few);
	}

	/**
	 * Let both sides ask all the time, and check that one caller at a time is inside.
	 * @param length how long a caller is inside
	 * @param least how many grants each side gets at least
	 */
	private Sides load(LockType type, ByHand byHand, int callersByHand, Duration length, Duration load, int least) {
		RedissonClient second = Clients.patient(server.url());
		RedissonClient third = Clients.patient(server.url());
		try (RedissonLockProvider other = new RedissonLockProvider(second);
				DefaultLockTemplate mine = beside(byHand, this.provider);
				DefaultLockTemplate others = beside(byHand, other)) {
			String key = mine.execute("busy", () -> LockContext.current().key());
			LockRequest asked = LockRequest.of("busy").withWaitTime(Patience.LIMIT);
			LockRequest request = (type == LockType.SEMAPHORE) ? asked.withPermits(1) : asked.withType(type);
			Sides sides = new Sides(type, byHand, new Side(), new Side());
			Side ours = sides.ours;
			Side theirs = sides.theirs;
			AtomicBoolean stop = new AtomicBoolean();
			AtomicInteger inside = new AtomicInteger();
			AtomicInteger overlaps = new AtomicInteger();
			Runnable section = () -> {
				if (inside.incrementAndGet() != 1) {
					overlaps.incrementAndGet();
				}
				LockSupport.parkNanos(length.toNanos());
				inside.decrementAndGet();
			};
			List<CompletableFuture<Void>> threads = new ArrayList<>();
			// readers let each other in, so two of them might never end
			for (DefaultLockTemplate template : (type == LockType.READ) ? List.of(mine)
					: List.of(mine, others, mine, others)) {
				threads.add(inThread(stop, () -> {
					Side.Wait wait = ours.new Wait(theirs);
					template.execute(request, () -> {
						wait.end();
						section.run();
					});
				}));
			}
			for (int i = 0; i < ((byHand == ByHand.READ) ? 1 : callersByHand); i++) {
				threads.add(inThread(stop, () -> {
					Side.Wait wait = theirs.new Wait(ours);
					Held held = byHand.of(third, key);
					held.await();
					try {
						wait.end();
						section.run();
					}
					finally {
						held.release();
					}
				}));
			}
			long end = System.nanoTime() + load.toNanos();
			try {
				Patience.await("grants of both sides")
					.until(() -> System.nanoTime() - end > 0 && ours.grants() >= least && theirs.grants() >= least);
			}
			finally {
				stop.set(true);
			}
			threads.forEach((thread) -> assertThat(thread).succeedsWithin(Patience.LIMIT));
			logger.info("{}", sides);
			assertThat(overlaps).as("%s", sides).hasValue(0);
			return sides;
		}
		finally {
			second.shutdown();
			third.shutdown();
		}
	}

	private static DefaultLockTemplate beside(ByHand byHand, RedissonLockProvider provider) {
		// a spin lock asks again after 128 ms at most
		Duration polling = (byHand == ByHand.SPIN) ? Duration.ofMillis(128) : Duration.ZERO;
		return DefaultLockTemplate.builder().provider(provider).interopPolling(polling).build();
	}

	private static CompletableFuture<Void> inThread(AtomicBoolean stop, Runnable step) {
		return CompletableFuture.runAsync(() -> {
			while (!stop.get()) {
				step.run();
			}
		}, (run) -> new Thread(run).start());
	}

	private @Nullable Lease attempt(String key, LockType type) {
		return get(this.provider.tryAcquire(new LeaseRequest(key, LONG, type)));
	}

	/**
	 * A thread by hand in the queue.
	 */
	private record Waiting(long thread, CompletableFuture<Void> taken) {
	}

	/**
	 * What code by hand calls.
	 */
	private enum ByHand {

		LOCK("getLock"), FAIR("getFairLock"), FENCED("getFencedLock"), SPIN("getSpinLock"), READ("readLock"),
		WRITE("writeLock"), PERMIT("getPermitExpirableSemaphore");

		private final String call;

		ByHand(String call) {
			this.call = call;
		}

		RLock lock(RedissonClient client, String key) {
			return switch (this) {
				case LOCK -> client.getLock(key);
				case FAIR -> client.getFairLock(key);
				case FENCED -> client.getFencedLock(key);
				case SPIN -> client.getSpinLock(key);
				case READ -> client.getReadWriteLock(key).readLock();
				case WRITE -> client.getReadWriteLock(key).writeLock();
				case PERMIT -> throw new IllegalStateException("a semaphore is no lock");
			};
		}

		Held of(RedissonClient client, String key) {
			return (this != PERMIT) ? new HeldLock(lock(client, key))
					: new HeldPermit(client.getPermitExpirableSemaphore("{" + key + "}:permits"));
		}

	}

	private interface Held {

		/**
		 * How long a lock is kept that nobody releases. A writer of Redisson 4.7 misses
		 * the release of another one that comes before it waits, and then waits for the
		 * end of that lease.
		 */
		long SECONDS = 20;

		boolean take();

		void await();

		boolean isHeld();

		void release();

	}

	private record HeldLock(RLock lock) implements Held {

		@Override
		public boolean take() {
			return this.lock.tryLock();
		}

		@Override
		public void await() {
			this.lock.lock(SECONDS, TimeUnit.SECONDS);
		}

		@Override
		public boolean isHeld() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public void release() {
			this.lock.unlock();
		}

	}

	private static final class HeldPermit implements Held {

		private final RPermitExpirableSemaphore semaphore;

		private @Nullable String id;

		private HeldPermit(RPermitExpirableSemaphore semaphore) {
			this.semaphore = semaphore;
			semaphore.trySetPermits(1);
		}

		@Override
		public boolean take() {
			this.id = this.semaphore.tryAcquire();
			return this.id != null;
		}

		@Override
		public void await() {
			try {
				this.id = this.semaphore.acquire(SECONDS, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public boolean isHeld() {
			return this.semaphore.updateLeaseTime(this.id, 60, TimeUnit.SECONDS);
		}

		@Override
		public void release() {
			this.semaphore.release(this.id);
		}

	}

	/**
	 * Both sides of a load.
	 */
	private record Sides(LockType type, ByHand byHand, Side ours, Side theirs) {
	}

	/**
	 * The grants of one side, and the longest of its waits.
	 */
	private static final class Side {

		private final AtomicLong grants = new AtomicLong();

		private final AtomicLong longest = new AtomicLong();

		private final AtomicLong longestMillis = new AtomicLong();

		private long grants() {
			return this.grants.get();
		}

		/**
		 * Return whether no wait of this side was much longer than those of the others,
		 * by their grants or by the time: a busy machine makes one of the two longer.
		 */
		private boolean isServedBeside(Side others, long few) {
			return this.longest.get() <= TIMES * others.longest.get() + few
					|| this.longestMillis.get() <= TIMES * others.longestMillis.get();
		}

		@Override
		public String toString() {
			return "%s grants, longest wait %s of the others (%s ms)".formatted(this.grants.get(), this.longest.get(),
					this.longestMillis.get());
		}

		/**
		 * A wait, from the call to the grant.
		 */
		private final class Wait {

			private final Side others;

			private final long before;

			private final long start = System.nanoTime();

			private Wait(Side others) {
				this.others = others;
				this.before = others.grants.get();
			}

			private void end() {
				Side.this.grants.incrementAndGet();
				Side.this.longest.accumulateAndGet(this.others.grants.get() - this.before, Math::max);
				Side.this.longestMillis.accumulateAndGet((System.nanoTime() - this.start) / 1_000_000, Math::max);
			}

		}

	}

}
