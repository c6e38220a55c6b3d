package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The line of exclusive and fair locks together with those who are not in it. No test
 * polls: a message wakes the waiter, or nothing does.
 */
class RedissonLineTests extends OnOneServer {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration TIMEOUT = Patience.LIMIT;

	private RedissonClient otherClient;

	private RedissonLockProvider other;

	@BeforeEach
	void connectOther() {
		this.otherClient = Clients.patient(server.url());
		this.other = new RedissonLockProvider(this.otherClient);
	}

	@AfterEach
	void disconnectOther() {
		this.other.close();
		this.otherClient.shutdown();
	}

	@Test
	void releaseHandsOverToTheNextInLine() {
		Lease holder = get(this.provider.enqueue(request("k")).granted());
		LockQueue.Place next = inLine(this.other);
		LockQueue.Place last = inLine(this.provider);
		assertThat(get(holder.release())).isTrue();
		assertThat(next.granted()).succeedsWithin(TIMEOUT);
		assertThat(last.granted().toCompletableFuture()).isNotDone();
		Lease second = get(next.granted());
		assertThat(second.fencingToken().orElseThrow()).isGreaterThan(holder.fencingToken().orElseThrow());
		assertThat(get(second.renew(LONG))).isNotNull();
		assertThat(get(second.release())).isTrue();
		assertThat(last.granted()).succeedsWithin(TIMEOUT);
		assertThat(get(get(last.granted()).release())).isTrue();
		assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
	}

	@Test
	void lineBehindAnOwnerByHandIsWokenByItsRelease() {
		RLock byHand = this.otherClient.getLock("k");
		assertThat(byHand.tryLock()).isTrue();
		LockQueue.Place first = inLine(this.provider);
		LockQueue.Place second = inLine(this.other);
		awaitListeners("k");
		byHand.unlock();
		assertThat(first.granted()).succeedsWithin(TIMEOUT);
		assertThat(get(get(first.granted()).release())).isTrue();
		assertThat(second.granted()).succeedsWithin(TIMEOUT);
	}

	@Test
	void ownerByHandIsLetInBeforeALongLineIsServed() {
		Lease holder = get(this.provider.enqueue(request("k")).granted());
		List<CompletableFuture<Boolean>> served = Stream.generate(() -> this.other.enqueue(request("k")))
			// one in four lets others in, and a busy machine may wake them too late
			.limit(100)
			.map((place) -> place.granted().thenCompose(Lease::release).toCompletableFuture())
			.toList();
		Patience.await().until(() -> server.command("LLEN", "{k}:line").equals(100L));
		RLock byHand = this.client.getLock("k");
		CompletableFuture<Long> thread = CompletableFuture.supplyAsync(() -> {
			byHand.lock(60, TimeUnit.SECONDS);
			return Thread.currentThread().getId();
		}, (run) -> new Thread(run).start());
		String channel = "redisson_lock__channel:{k}";
		Patience.await()
			.during(Duration.ofMillis(300))
			.until(() -> ((List<?>) server.command("PUBSUB", "NUMSUB", channel)).get(1).equals(1L));
		assertThat(get(holder.release())).isTrue();
		assertThat(thread).succeedsWithin(TIMEOUT);
		assertThat(served).as("the line still waits").anySatisfy((each) -> assertThat(each).isNotDone());
		assertThat(byHand.unlockAsync(thread.join()).toCompletableFuture()).succeedsWithin(TIMEOUT);
		served.forEach((each) -> assertThat(each).succeedsWithin(TIMEOUT));
	}

	@Test
	void ownersByHandAndWritersTakeTurnsWithABusyLine() {
		AtomicBoolean stop = new AtomicBoolean();
		try (DefaultLockTemplate mine = template(this.provider); DefaultLockTemplate others = template(this.other)) {
			LockHandle probe = mine.acquire("busy");
			String key = probe.key();
			probe.close();
			List<CompletableFuture<Void>> busy = Stream.of(mine, others, mine, others)
				.map((template) -> inThread(() -> {
					while (!stop.get()) {
						template.execute(LockRequest.of("busy").withLeaseTime(LONG).withWaitTime(TIMEOUT), () -> {
						});
					}
				}))
				.toList();
			Patience.await().until(() -> server.commandCalls().getOrDefault("rpush", 0L) > 20);
			for (int i = 0; i < 3; i++) {
				RLock byHand = this.otherClient.getLock(key);
				CompletableFuture<Long> thread = CompletableFuture.supplyAsync(() -> {
					byHand.lock(60, TimeUnit.SECONDS);
					return Thread.currentThread().getId();
				}, (run) -> new Thread(run).start());
				assertThat(thread).succeedsWithin(TIMEOUT);
				assertThat(byHand.unlockAsync(thread.join()).toCompletableFuture()).succeedsWithin(TIMEOUT);
				assertThat(inThread(() -> others
					.acquire(LockRequest.of("busy").withLeaseTime(LONG).withType(LockType.WRITE).withWaitTime(TIMEOUT))
					.close())).succeedsWithin(TIMEOUT);
			}
			long tenure = server.commandCalls().getOrDefault("rpush", 0L);
			Patience.await("the line goes on")
				.until(() -> server.commandCalls().getOrDefault("rpush", 0L) > tenure + 20);
			stop.set(true);
			busy.forEach((thread) -> assertThat(thread).succeedsWithin(TIMEOUT));
		}
	}

	@Test
	void whoPollsByHandGetsTheLockThatCallersOfOneJvmKeepBusy() {
		AtomicBoolean stop = new AtomicBoolean();
		try (DefaultLockTemplate mine = template(this.provider)) {
			String key = mine.execute("polled", () -> LockContext.current().key());
			List<CompletableFuture<Void>> busy = Stream.generate(() -> inThread(() -> {
				while (!stop.get()) {
					mine.execute(LockRequest.of("polled").withLeaseTime(LONG).withWaitTime(TIMEOUT),
							() -> LockSupport.parkNanos(2_000_000));
				}
			})).limit(3).toList();
			RLock byHand = this.otherClient.getLock(key);
			Patience.await("a lock that is free for a moment").atMost(TIMEOUT).until(() -> {
				for (int i = 0; i < 100; i++) {
					if (byHand.tryLock()) {
						byHand.unlock();
						return true;
					}
				}
				return false;
			});
			stop.set(true);
			busy.forEach((thread) -> assertThat(thread).succeedsWithin(TIMEOUT));
		}
	}

	@Test
	void placeThatIsLeftIsNotGrantedAndLeavesNoMark() {
		Lease holder = get(this.provider.enqueue(request("k")).granted());
		LockQueue.Place left = inLine(this.other);
		left.leave();
		Patience.await().until(() -> server.command("EXISTS", "{k}:line").equals(0L));
		assertThat((List<?>) server.command("HKEYS", "{k}:alive")).as("names of JVMs, and of no owner")
			.noneMatch((field) -> field.toString().contains("."));
		assertThat(get(holder.release())).isTrue();
		assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
	}

	@Test
	void closeEndsTheSubscriptionOfTheProviderAlone() {
		Lease holder = get(this.provider.enqueue(request("k")).granted());
		inLine(this.other).leave();
		assertThat((List<?>) server.command("PUBSUB", "CHANNELS", "redisson_lock_line:*")).hasSize(1);
		this.other.close();
		Patience.await()
			.until(() -> ((List<?>) server.command("PUBSUB", "CHANNELS", "redisson_lock_line:*")).isEmpty());
		assertThat(this.otherClient.getBucket("any").isExists()).isFalse();
		assertThat(get(holder.release())).isTrue();
	}

	private LockQueue.Place inLine(RedissonLockProvider provider) {
		LockQueue.Place place = provider.enqueue(request("k"));
		Patience.await().until(place::isBehindOthers);
		Patience.await()
			.until(() -> !((List<?>) server.command("PUBSUB", "CHANNELS", "redisson_lock_line:*")).isEmpty());
		return place;
	}

	private static LeaseRequest request(String key) {
		return new LeaseRequest(key, LONG, LockType.EXCLUSIVE);
	}

	private static DefaultLockTemplate template(RedissonLockProvider provider) {
		return DefaultLockTemplate.builder().provider(provider).pollInterval(LONG).build();
	}

	private static void awaitListeners(String key) {
		String channel = "redisson_lock__channel:{" + key + "}";
		Patience.await().until(() -> ((List<?>) server.command("PUBSUB", "NUMSUB", channel)).get(1).equals(2L));
	}

	private static CompletableFuture<Void> inThread(Runnable task) {
		return CompletableFuture.runAsync(task, (run) -> new Thread(run).start());
	}

}
