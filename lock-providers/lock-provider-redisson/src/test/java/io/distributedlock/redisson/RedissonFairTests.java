package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * Fair locks in the line: one place for each caller.
 */
@Execution(ExecutionMode.CONCURRENT)
class RedissonFairTests {

	private static final String LINE = "{%s}:line";

	private static final String QUEUE = "redisson_lock_queue:{%s}";

	private static final Duration POLL = Duration.ofMillis(200);

	private RedisTestServer server;

	private RedissonClient client;

	private RedissonClient other;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.runDurable();
		this.client = connect();
		this.other = connect();
	}

	/**
	 * Return a client whose commands fail during the stalls here, and on a busy machine
	 * are answered.
	 */
	private RedissonClient connect() {
		return Clients.connect(this.server.url(), (config) -> config.setTimeout(3000));
	}

	@AfterEach
	void stop() {
		this.server.resume();
		this.client.shutdown();
		this.other.shutdown();
		this.server.close();
	}

	@Test
	void oldestAsksWhenTheConnectionForMessagesIsBack() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = rarelyPolling()) {
			LockRequest request = fair("back").withLeaseTime(Duration.ofMinutes(10));
			LockHandle holder = template.acquire(request);
			CompletableFuture<LockHandle> next = waiter.acquireAsync(request);
			awaitLine(holder.key(), 1);
			Patience.await().until(() -> !channels().isEmpty());
			awaitNoMoreQuestions();
			this.server.command("DEL", holder.key());
			Patience.await().during(Duration.ofSeconds(1)).until(() -> !next.isDone());
			this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	@Test
	void stallLongerThanTheLeaseLeavesNoPlaceInTheLine() {
		RedissonLockProvider provider = new RedissonLockProvider(this.client);
		LeaseRequest request = new LeaseRequest("stalled", Duration.ofSeconds(2), LockType.FAIR);
		Lease holder = hold(provider, "stalled");
		List<LockQueue.Place> places = Stream.generate(() -> provider.enqueue(request)).limit(3).toList();
		awaitLine("stalled", 3);
		this.server.suspend();
		List<LockQueue.Place> late = Stream.generate(() -> provider.enqueue(request)).limit(3).toList();
		places.forEach(LockQueue.Place::lookAgain);
		Stream.concat(places.stream(), late.stream()).forEach(LockQueue.Place::leave);
		pause(Duration.ofSeconds(4));
		this.server.resume();
		assertThat(holder.release()).succeedsWithin(Patience.LIMIT).isEqualTo(true);
		try (DefaultLockTemplate template = template(this.other)) {
			template.acquire(fair("stalled")).close();
		}
		Patience.await().until(() -> this.server.command("EXISTS", "stalled", LINE.formatted("stalled")).equals(0L));
	}

	@Test
	void placeThatIsLeftDuringAnOutageEndsWithIt() {
		RedissonLockProvider provider = new RedissonLockProvider(this.other);
		LeaseRequest request = new LeaseRequest("outage", Duration.ofSeconds(2), LockType.FAIR);
		Lease holder = hold(provider, "outage");
		LockQueue.Place place = provider.enqueue(request);
		awaitLine("outage", 1);
		this.server.kill();
		place.leave();
		pause(Duration.ofSeconds(4));
		this.server.start();
		// the client may have no connection yet
		Patience.await("release").ignoreExceptions().until(() -> holder.release().toCompletableFuture().join());
		try (DefaultLockTemplate template = template(this.client)) {
			template.acquire(fair("outage")).close();
		}
	}

	/**
	 * Some grants of the line are followed by one in the queue of Redisson.
	 */
	@Test
	void fairLockByHandIsLetInBeforeALongLineIsServed() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = rarelyPolling()) {
			LockRequest request = fair("turns").withLeaseTime(Duration.ofMinutes(2));
			LockHandle holder = template.acquire(request);
			List<CompletableFuture<Void>> line = Stream
				.generate(() -> waiter.acquireAsync(request).thenAccept(LockHandle::close))
				// one in four lets others in, and a busy machine may wake them too late
				.limit(100)
				.toList();
			awaitLine(holder.key(), line.size());
			RLock byHand = this.other.getFairLock(holder.key());
			CompletableFuture<Long> thread = inThread(byHand);
			Patience.await().until(() -> length(QUEUE, holder.key()) == 1);
			Patience.await().during(Duration.ofMillis(300)).until(() -> !thread.isDone());
			holder.close();
			assertThat(thread).succeedsWithin(Patience.LIMIT);
			assertThat(line).as("the line still waits").anySatisfy((each) -> assertThat(each).isNotDone());
			assertThat(byHand.unlockAsync(thread.join()).toCompletableFuture()).succeedsWithin(Patience.LIMIT);
			assertThat(line).allSatisfy((each) -> assertThat(each).succeedsWithin(Patience.LIMIT));
			assertThat(length(QUEUE, holder.key())).isZero();
		}
	}

	/**
	 * Its place in the queue of Redisson lasts for five minutes.
	 */
	@Test
	@SuppressWarnings("LockNotBeforeTry")
	void waiterByHandThatHasDiedDelaysTheLineByOneInterval() throws Exception {
		RedissonClient dying = connect();
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = template(this.other)) {
			LockRequest request = fair("died").withLeaseTime(Duration.ofMinutes(10));
			LockHandle first = template.acquire(request);
			RLock byHand = this.client.getLock(first.key());
			inThread(dying.getFairLock(first.key()));
			Patience.await().until(() -> length(QUEUE, first.key()) == 1);
			dying.shutdown();
			first.close();
			// after a release of ours, and after one by hand
			template.acquire(request).close();
			byHand.lock(10, TimeUnit.MINUTES);
			CompletableFuture<LockHandle> next = waiter.acquireAsync(request);
			awaitLine(first.key(), 1);
			byHand.unlock();
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
		finally {
			dying.shutdown();
		}
	}

	/**
	 * More keys than channels that a provider takes from the application.
	 */
	@Test
	void waitersForManyKeysAreServedWithoutPolls() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = rarelyPolling()) {
			List<LockRequest> requests = IntStream.range(0, 2 * RedissonRunner.MAX_CHANNELS)
				.mapToObj((i) -> fair("many:" + i).withLeaseTime(Duration.ofMinutes(10)))
				.toList();
			List<LockHandle> holders = requests.stream().map(template::acquire).toList();
			List<CompletableFuture<LockHandle>> next = requests.stream().map(waiter::acquireAsync).toList();
			Patience.await().until(() -> holders.stream().allMatch((holder) -> length(LINE, holder.key()) == 1));
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
				.limit(4 * RedissonRunner.MAX_CHANNELS)
				.toList();
			awaitLine(holder.key(), callers.size());
			holder.close();
			assertThat(CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)))
				.succeedsWithin(Patience.LIMIT);
			assertThat(tokens).isSorted();
			assertThat(channels()).hasSize(1);
		}
	}

	@Test
	void crowdOfOneJvmAsksOneQuestionInAnInterval() {
		try (DefaultLockTemplate template = template(this.client); DefaultLockTemplate waiter = template(this.other)) {
			LockRequest request = fair("quiet").withLeaseTime(Duration.ofMinutes(10));
			LockHandle holder = template.acquire(request);
			List<CompletableFuture<LockHandle>> crowd = Stream.generate(() -> waiter.acquireAsync(request))
				.limit(200)
				.toList();
			awaitLine(holder.key(), crowd.size());
			Patience.await().until(() -> !channels().isEmpty());
			pause(Duration.ofSeconds(1));
			long from = System.nanoTime();
			this.server.command("CONFIG", "RESETSTAT");
			pause(Duration.ofSeconds(2));
			long questions = questions();
			assertThat(POLL.multipliedBy(questions - 1)).isLessThan(Duration.ofNanos(System.nanoTime() - from));
			crowd.forEach((call) -> call.cancel(true));
			holder.close();
		}
	}

	/**
	 * Wait until the question that follows a subscription is answered.
	 */
	private void awaitNoMoreQuestions() {
		AtomicLong last = new AtomicLong(-1);
		Patience.await().during(Duration.ofSeconds(1)).until(() -> {
			long now = questions();
			return last.getAndSet(now) == now;
		});
	}

	private long questions() {
		return this.server.commandCalls().getOrDefault("evalsha", 0L);
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

	private static Lease hold(RedissonLockProvider provider, String key) {
		CompletionStage<Lease> attempt = provider
			.tryAcquire(new LeaseRequest(key, Duration.ofMinutes(2), LockType.FAIR));
		return Objects.requireNonNull(attempt.toCompletableFuture().join());
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

	private void awaitLine(String key, long length) {
		Patience.await().until(() -> length(LINE, key) == length);
	}

	private long length(String list, String key) {
		return (Long) this.server.command("LLEN", list.formatted(key));
	}

	private static LockRequest fair(String name) {
		return LockRequest.of(name).withType(LockType.FAIR).withWaitTime(Duration.ofSeconds(60));
	}

	private static DefaultLockTemplate template(RedissonClient client) {
		return DefaultLockTemplate.builder().provider(new RedissonLockProvider(client)).pollInterval(POLL).build();
	}

}
