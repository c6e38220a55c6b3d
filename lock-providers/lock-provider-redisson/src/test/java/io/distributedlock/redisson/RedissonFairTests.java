package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of fair locks: an owner that has gone does not block the others.
 */
@Execution(ExecutionMode.CONCURRENT)
class RedissonFairTests {

	private static final String QUEUE = "redisson_lock_queue:{%s}";

	private RedisTestServer server;

	private RedissonClient client;

	private RedissonClient other;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.runDurable();
		this.client = Clients.connect(this.server.url());
		this.other = Clients.connect(this.server.url());
	}

	@AfterEach
	void stop() {
		this.server.resume();
		this.client.shutdown();
		this.other.shutdown();
		this.server.close();
	}

	@Test
	void waiterWhoseJvmDiedIsSkipped() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = template(this.client)) {
			LockHandle holder = template.acquire(fair("dead").withLeaseTime(Duration.ofMinutes(1)));
			new RedissonLockProvider(this.other)
				.enqueue(new LeaseRequest(holder.key(), Duration.ofSeconds(2), LockType.FAIR));
			awaitQueue(holder.key(), 1);
			this.other.shutdown();
			CompletableFuture<LockHandle> next = waiter.acquireAsync(fair("dead"));
			awaitQueue(holder.key(), 2);
			holder.close();
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	@Test
	void lostMessageIsMadeUpForByPolling() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = template(this.other)) {
			LockHandle holder = template.acquire(fair("unheard").withLeaseTime(Duration.ofMinutes(2)));
			CompletableFuture<LockHandle> next = waiter.acquireAsync(fair("unheard"));
			awaitQueue(holder.key(), 1);
			assertThat(this.server.command("CLIENT", "KILL", "TYPE", "pubsub")).isNotNull();
			holder.close();
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	@Test
	void oldestAsksWhenTheConnectionForMessagesIsBack() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = rarelyPolling()) {
			LockRequest request = fair("back").withLeaseTime(Duration.ofMinutes(10));
			LockHandle holder = template.acquire(request);
			CompletableFuture<LockHandle> next = waiter.acquireAsync(request);
			awaitQueue(holder.key(), 1);
			Patience.await().until(() -> !channels().isEmpty());
			this.server.command("DEL", holder.key());
			Patience.await().during(Duration.ofSeconds(1)).until(() -> !next.isDone());
			this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	@Test
	void stallLongerThanTheLeaseLeavesNoPlaceInTheQueue() {
		RedissonLockProvider provider = new RedissonLockProvider(this.client);
		LeaseRequest request = new LeaseRequest("stalled", Duration.ofSeconds(2), LockType.FAIR);
		Lease holder = provider.tryAcquire(request).toCompletableFuture().join();
		assertThat(holder).isNotNull();
		List<LockQueue.Place> places = Stream.generate(() -> provider.enqueue(request)).limit(3).toList();
		awaitQueue("stalled", 3);
		this.server.suspend();
		List<LockQueue.Place> late = Stream.generate(() -> provider.enqueue(request)).limit(3).toList();
		places.forEach(LockQueue.Place::lookAgain);
		Stream.concat(places.stream(), late.stream()).forEach(LockQueue.Place::leave);
		pause(Duration.ofSeconds(4));
		this.server.resume();
		try (DefaultLockTemplate template = template(this.other)) {
			template.acquire(fair("stalled")).close();
		}
		Patience.await().until(() -> this.server.command("EXISTS", "stalled", QUEUE.formatted("stalled")).equals(0L));
	}

	@Test
	void placeThatIsLeftDuringAnOutageEndsWithIt() {
		RedissonLockProvider provider = new RedissonLockProvider(this.other);
		LeaseRequest request = new LeaseRequest("outage", Duration.ofSeconds(2), LockType.FAIR);
		assertThat(provider.tryAcquire(request).toCompletableFuture().join()).isNotNull();
		LockQueue.Place place = provider.enqueue(request);
		awaitQueue("outage", 1);
		this.server.kill();
		place.leave();
		pause(Duration.ofSeconds(4));
		this.server.start();
		try (DefaultLockTemplate template = template(this.client)) {
			template.acquire(fair("outage")).close();
		}
	}

	@Test
	void queueIsSharedWithFairLocksByHand() {
		try (DefaultLockTemplate template = template(this.client);
				DefaultLockTemplate waiter = DefaultLockTemplate.builder()
					.provider(new RedissonLockProvider(this.client))
					// the waiter is woken by a message: polls are too rare
					.pollInterval(Duration.ofMinutes(10))
					.build()) {
			LockRequest request = fair("shared").withLeaseTime(Duration.ofMinutes(2));
			LockHandle holder = template.acquire(request);
			RLock byHand = this.other.getFairLock(holder.key());
			CompletableFuture<Long> second = inThread(byHand);
			awaitQueue(holder.key(), 1);
			CompletableFuture<LockHandle> third = waiter.acquireAsync(request.withWaitTime(Duration.ofMinutes(1)));
			awaitQueue(holder.key(), 2);
			holder.close();
			long thread = second.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
			assertThat(third).isNotDone();
			assertThat(byHand.unlockAsync(thread).toCompletableFuture()).succeedsWithin(Patience.LIMIT);
			assertThat(third).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
			assertThat(length(holder.key())).isZero();
		}
	}

	/**
	 * When Redisson grants a lock by hand, it takes minutes from the times of all places
	 * behind. It may have waited longer than one lease by then.
	 */
	@Test
	void longWaitByHandCostsNobodyThePlace() {
		try (DefaultLockTemplate template = template(this.client)) {
			LockRequest request = fair("long").withLeaseTime(Duration.ofSeconds(2)).withAutoRenew(true);
			LockHandle holder = template.acquire(request);
			RLock byHand = this.other.getFairLock(holder.key());
			CompletableFuture<Long> second = inThread(byHand);
			awaitQueue(holder.key(), 1);
			CompletableFuture<LockHandle> third = template.acquireAsync(request.withReentrant(false));
			awaitQueue(holder.key(), 2);
			CompletableFuture<Long> fourth = inThread(byHand);
			awaitQueue(holder.key(), 3);
			pause(Duration.ofSeconds(6));
			assertThat(third).isNotDone();
			holder.close();
			long thread = second.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
			pause(Duration.ofSeconds(1));
			assertThat(byHand.unlockAsync(thread).toCompletableFuture()).succeedsWithin(Patience.LIMIT);
			assertThat(CompletableFuture.anyOf(third, fourth)).succeedsWithin(Patience.LIMIT);
			assertThat(third).isCompleted();
			assertThat(fourth).isNotDone();
			third.join().close();
			long last = fourth.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
			assertThat(byHand.unlockAsync(last).toCompletableFuture()).succeedsWithin(Patience.LIMIT);
		}
	}

	/**
	 * Code by hand joins a queue without an expiry of its own.
	 */
	@Test
	void queueOutlivesThoseWhoJoinItByHand() {
		try (DefaultLockTemplate template = template(this.client)) {
			LockRequest request = fair("outlives").withLeaseTime(Duration.ofSeconds(10));
			LockHandle holder = template.acquire(request);
			CompletableFuture<LockHandle> next = template.acquireAsync(request.withReentrant(false));
			awaitQueue(holder.key(), 1);
			assertThat((Long) this.server.command("PTTL", QUEUE.formatted(holder.key())))
				.isGreaterThan(Duration.ofHours(23).toMillis());
			holder.close();
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
			assertThat(length(holder.key())).isZero();
		}
	}

	/**
	 * More keys than channels that a provider takes from the application.
	 */
	@Test
	void waitersForManyKeysAreServedWithoutPolls() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = rarelyPolling()) {
			List<LockRequest> requests = IntStream.range(0, 2 * RedissonReleases.MAX_CHANNELS)
				.mapToObj((i) -> fair("many:" + i).withLeaseTime(Duration.ofMinutes(10)))
				.toList();
			List<LockHandle> holders = requests.stream().map(template::acquire).toList();
			List<CompletableFuture<LockHandle>> next = requests.stream().map(waiter::acquireAsync).toList();
			holders.forEach((holder) -> awaitQueue(holder.key(), 1));
			holders.forEach(LockHandle::close);
			assertThat(next)
				.allSatisfy((call) -> assertThat(call).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close));
		}
	}

	/**
	 * More callers of one JVM than channels that a provider takes from the application.
	 */
	@Test
	void crowdOfOneJvmIsServedWithoutPolls() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate crowd = rarelyPolling()) {
			LockRequest request = fair("crowd").withLeaseTime(Duration.ofMinutes(2));
			LockHandle holder = template.acquire(request);
			List<Long> tokens = new CopyOnWriteArrayList<>();
			List<CompletableFuture<Void>> callers = Stream
				.generate(() -> crowd.acquireAsync(request).thenAccept((handle) -> {
					tokens.add(handle.fencingToken().orElseThrow());
					handle.close();
				}))
				.limit(4 * RedissonReleases.MAX_CHANNELS)
				.toList();
			awaitQueue(holder.key(), callers.size());
			holder.close();
			assertThat(CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)))
				.succeedsWithin(Patience.LIMIT);
			assertThat(tokens).isSorted();
			assertThat(channels()).hasSize(1);
		}
	}

	/**
	 * The first in the queue is not the oldest of its JVM, and no message tells it that
	 * the lock is free, as its holder has died.
	 */
	@Test
	void oldestOfAJvmWakesTheFirst() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = template(this.other)) {
			LockRequest request = fair("died").withLeaseTime(Duration.ofMinutes(10));
			LockHandle holder = template.acquire(request);
			CompletableFuture<LockHandle> oldest = waiter.acquireAsync(request);
			awaitQueue(holder.key(), 1);
			CompletableFuture<LockHandle> first = waiter.acquireAsync(request);
			awaitQueue(holder.key(), 2);
			Patience.await().until(() -> !channels().isEmpty());
			Object moved = this.server.command("LPOP", QUEUE.formatted(holder.key()));
			this.server.command("RPUSH", QUEUE.formatted(holder.key()), (String) moved);
			this.server.command("DEL", holder.key());
			assertThat(first).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
			assertThat(oldest).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	@Test
	void oneOfACrowdPolls() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = template(this.other)) {
			LockRequest request = fair("quiet").withLeaseTime(Duration.ofMinutes(10));
			LockHandle holder = template.acquire(request);
			List<CompletableFuture<LockHandle>> crowd = Stream.generate(() -> waiter.acquireAsync(request))
				.limit(100)
				.toList();
			awaitQueue(holder.key(), crowd.size());
			// each asks once more when messages begin to arrive
			Patience.await().until(() -> !channels().isEmpty());
			pause(Duration.ofSeconds(1));
			this.server.command("CONFIG", "RESETSTAT");
			pause(Duration.ofSeconds(2));
			// ten polls of the oldest, and one question of each of the others
			assertThat(scripts()).isBetween(2L, 250L);
			crowd.forEach((call) -> call.cancel(true));
			holder.close();
		}
	}

	private long scripts() {
		Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
			.matcher(String.valueOf(this.server.command("INFO", "commandstats")));
		return calls.find() ? Long.parseLong(calls.group(1)) : 0;
	}

	private List<?> channels() {
		return (List<?>) this.server.command("PUBSUB", "CHANNELS", "redisson_lock_*");
	}

	private DefaultLockTemplate rarelyPolling() {
		return DefaultLockTemplate.builder()
			.provider(new RedissonLockProvider(this.other))
			// waiters are woken by messages: polls are too rare
			.pollInterval(Duration.ofMinutes(10))
			.build();
	}

	private static CompletableFuture<Long> inThread(RLock lock) {
		return CompletableFuture.supplyAsync(() -> {
			lock.lock(100, TimeUnit.SECONDS);
			return Thread.currentThread().getId();
		}, (task) -> new Thread(task).start());
	}

	private static void pause(Duration duration) {
		Patience.await().pollDelay(duration).atMost(duration.plusSeconds(30)).until(() -> true);
	}

	private void awaitQueue(String key, long length) {
		Patience.await().until(() -> length(key) == length);
	}

	private long length(String key) {
		Object length = this.server.command("LLEN", QUEUE.formatted(key));
		return (length instanceof Long number) ? number : -1;
	}

	private static LockRequest fair(String name) {
		return LockRequest.of(name).withType(LockType.FAIR).withWaitTime(Duration.ofSeconds(60));
	}

	private static DefaultLockTemplate template(RedissonClient client) {
		return DefaultLockTemplate.builder()
			.provider(new RedissonLockProvider(client))
			.pollInterval(Duration.ofMillis(200))
			.build();
	}

}
