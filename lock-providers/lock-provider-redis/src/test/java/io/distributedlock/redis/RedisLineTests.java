package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue.Place;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.redis.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The line of those who wait, and the hand-over by the release. Each provider stands for
 * a JVM.
 */
class RedisLineTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	private static final Duration LOOK = Duration.ofMillis(500);

	/**
	 * An interval after which no test looks: a message brings the grant, or nothing does.
	 */
	private static final Duration NEVER = Duration.ofMinutes(10);

	private static final Duration LOCK_DELAY = Duration.ofSeconds(20);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private RedisTestServer server;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.run();
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void placesAreServedInTheOrderOfArrival(LockType type) {
		RedisLockProvider a = provider();
		RedisLockProvider b = provider();
		Lease lease = get(a.enqueue(request("k", type, NEVER)).granted());
		List<Place> places = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			places.add(inLine((i % 2 == 0) ? b : a, request("k", (i % 3 == 0) ? LockType.EXCLUSIVE : type, NEVER)));
		}
		subscribed(2);
		long token = lease.fencingToken().orElseThrow();
		for (int i = 0; i < places.size(); i++) {
			Place place = places.get(i);
			assertThat(place.granted().toCompletableFuture()).as("place %s", i).isNotDone();
			assertThat(get(lease.release())).isTrue();
			lease = get(place.granted());
			assertThat(lease.fencingToken().orElseThrow()).isGreaterThan(token);
			token = lease.fencingToken().orElseThrow();
		}
		assertThat(get(lease.release())).isTrue();
		assertThat(this.server.command("EXISTS", "k", "{k}:line")).isEqualTo(0L);
	}

	@Test
	void grantIsShortUntilItIsRenewed() {
		// a grant that is old for its length when its message comes is another case
		Duration look = Duration.ofSeconds(5);
		Lease held = get(provider().tryAcquire(request("k", LockType.EXCLUSIVE, look)));
		Place place = inLine(provider(), request("k", LockType.EXCLUSIVE, look));
		subscribed(1);
		get(held.release());
		Lease lease = get(place.granted());
		assertThat(lease.term().granted()).isEqualTo(look.multipliedBy(3));
		Long onTheServer = (Long) this.server.command("PTTL", "k");
		long left = lease.term().deadlineNanos() - System.nanoTime();
		assertThat(onTheServer).isLessThanOrEqualTo(15_000L);
		assertThat(Duration.ofNanos(left).toMillis()).as("counted on this side").isLessThanOrEqualTo(onTheServer);
		LeaseTerm renewed = get(lease.renew(LEASE));
		assertThat(renewed.granted()).isEqualTo(LEASE);
		assertThat((Long) this.server.command("PTTL", "k")).isGreaterThan(50_000L);
	}

	@Test
	void grantIsLongerThanTheLockDelay() {
		Lease held = get(provider().tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)));
		Place place = inLine(provider(), new LeaseRequest("k", LEASE, LockType.EXCLUSIVE, 1,
				System.nanoTime() + LEASE.toNanos(), 1, Duration.ofSeconds(5), LOCK_DELAY, Duration.ZERO));
		subscribed(1);
		get(held.release());
		assertThat(get(place.granted()).term().granted()).isEqualTo(LOCK_DELAY.plusSeconds(15));
	}

	@Test
	void grantThatIsOldForItsLengthIsRenewedFirst() {
		Lease held = get(provider().tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)));
		Place place = inLine(provider(), request("k", LockType.EXCLUSIVE, LOOK));
		subscribed(1);
		// nobody looks, so the place knows only when it joined
		Patience.await().pollDelay(LOOK.multipliedBy(2)).until(() -> true);
		get(held.release());
		assertThat(get(place.granted()).term().granted()).isEqualTo(LEASE);
		assertThat((Long) this.server.command("PTTL", "k")).isGreaterThan(50_000L);
	}

	@Test
	void messageThatIsLostDelaysTheGrantByAnInterval() {
		this.server.command("ACL", "SETUSER", "mute", "on", ">secret", "~*", "&*", "+@all", "-publish");
		RedisLockProvider mute = provider("redis://mute:secret@127.0.0.1:" + this.server.port());
		Lease held = get(mute.tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)));
		RedisLockProvider other = provider();
		Place place = inLine(other, longLived(LockType.EXCLUSIVE));
		subscribed(1);
		get(held.release());
		assertThat((String) this.server.command("GET", "k")).as("granted").isNotNull();
		Patience.await().pollInterval(LOOK).until(() -> {
			place.lookAgain();
			return place.granted().toCompletableFuture().isDone();
		});
		assertThat(get(place.granted()).term().granted()).isEqualTo(LEASE);
	}

	@Test
	void grantToADeadJvmLapsesSoon() {
		DefaultLockTemplate a = template(provider(), LOOK);
		LockHandle held = a.acquire("k");
		RedisClient dying = Clients.client(this.server.url());
		RedisLockProvider dead = new RedisLockProvider(dying, TIMEOUT);
		Place never = inLine(dead, request("p:k", LockType.EXCLUSIVE, LOOK));
		subscribed(1);
		CompletableFuture<LockHandle> next = template(provider(), LOOK)
			.acquireAsync(LockRequest.of("k").withWaitTime(LEASE));
		Patience.await().until(() -> this.server.command("LLEN", "{p:k}:line").equals(2L));
		Clients.shutdown(dying);
		long releasedAt = System.nanoTime();
		held.close();
		get(next).close();
		assertThat(Duration.ofNanos(System.nanoTime() - releasedAt)).isLessThan(LOOK.multipliedBy(4).plus(TIMEOUT));
		assertThat(never.granted().toCompletableFuture()).isNotDone();
	}

	@Test
	void placeThatIsDeadIsSkipped() {
		Lease held = get(provider().tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)));
		Duration shortLease = Duration.ofMillis(100);
		inLine(provider(), new LeaseRequest("k", shortLease, LockType.EXCLUSIVE));
		Place living = inLine(provider(), request("k", LockType.EXCLUSIVE, NEVER));
		subscribed(2);
		// the dead JVM counts as alive for four of its intervals, here four thirds of its
		// lease
		Patience.await().pollDelay(shortLease.multipliedBy(3)).until(() -> true);
		get(held.release());
		assertThat(get(living.granted()).fencingToken()).isPresent();
	}

	@Test
	void attemptDoesNotOvertake() {
		RedisLockProvider a = provider();
		Lease held = get(a.tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)));
		Place place = inLine(provider(), longLived(LockType.EXCLUSIVE));
		get(held.release());
		assertThat(get(a.tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)))).isNull();
		Patience.await().until(() -> {
			place.lookAgain();
			return place.granted().toCompletableFuture().isDone();
		});
	}

	@Test
	void lineThatTheServerHasLostIsJoinedAgain() {
		Lease held = get(provider().tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)));
		RedisLockProvider other = provider();
		List<Place> places = List.of(inLine(other, longLived(LockType.FAIR)), inLine(other, longLived(LockType.FAIR)));
		this.server.command("DEL", "{k}:line", "{k}:alive");
		Patience.await().pollInterval(LOOK).until(() -> {
			places.get(0).lookAgain();
			return this.server.command("LLEN", "{k}:line").equals(2L);
		});
		get(held.release());
		get(get(places.get(0).granted()).release());
		get(places.get(1).granted());
	}

	@Test
	void holderThatDiesIsFollowedWhenItsLeaseEnds() {
		Duration lease = Duration.ofSeconds(3);
		Lease dead = get(provider().tryAcquire(new LeaseRequest("k", lease, LockType.EXCLUSIVE)));
		Place place = inLine(provider(), request("k", LockType.EXCLUSIVE, Duration.ofSeconds(20)));
		subscribed(1);
		// it looks once, when the channel is subscribed to, and then when the lease ends
		get(place.granted());
		assertThat(Duration.ofNanos(System.nanoTime() - dead.term().startNanos())).isBetween(lease,
				lease.plus(TIMEOUT));
	}

	@Test
	void leavingAndGrantingAtTheSameTimeLeavesNothing() {
		RedisLockProvider a = provider();
		RedisLockProvider b = provider();
		for (int i = 0; i < 200; i++) {
			Lease held = get(a.enqueue(request("k", LockType.EXCLUSIVE, NEVER)).granted());
			Place place = inLine(b, request("k", LockType.EXCLUSIVE, NEVER));
			CompletableFuture<Boolean> released = held.release().toCompletableFuture();
			if (i % 2 == 0) {
				get(released);
			}
			place.leave();
			place.granted().thenAccept(Lease::release);
			Patience.await()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> this.server.command("EXISTS", "k", "{k}:line").equals(0L));
		}
	}

	@Test
	void callsOfALimitedCrowdJoinTheLineWithoutAnotherChannel() {
		DefaultLockTemplate template = template(provider(), NEVER);
		LockHandle held = template(provider(), NEVER).acquire("k");
		CompletableFuture<LockHandle> waiting = template
			.acquireAsync(LockRequest.of("k").withMaxWaiters(5).withWaitTime(NEVER));
		Patience.await().until(() -> this.server.command("LLEN", "{p:k}:line").equals(1L));
		assertThat((List<?>) this.server.command("PUBSUB", "CHANNELS")).noneMatch("p:k"::equals);
		held.close();
		get(waiting).close();
	}

	@Test
	void markOfCallersWhoHaveGoneKeepsNoPlaceWaiting() {
		List<Place> places = lineWithMark(20);
		places.forEach((place) -> assertThat(get(get(place.granted()).release())).isTrue());
	}

	@Test
	void placeThatLeavesAFreeLockTellsTheNext() {
		List<Place> places = lineWithMark(18);
		places.subList(0, 17).forEach((place) -> assertThat(get(get(place.granted()).release())).isTrue());
		// the lock is free for others for a moment, or this one has it already
		places.get(17).leave();
		places.get(17).granted().thenAccept(Lease::release);
		get(places.get(18).granted());
	}

	/**
	 * Return places of two JVMs, the first of which has the lock, and a mark of callers
	 * outside the line who are gone. They come first after 16 grants.
	 */
	private List<Place> lineWithMark(int waiting) {
		LeaseRequest request = new LeaseRequest("k", NEVER, LockType.EXCLUSIVE, 1, System.nanoTime() + NEVER.toNanos(),
				1, NEVER, Duration.ZERO, Duration.ZERO);
		RedisLockProvider a = provider();
		RedisLockProvider b = provider();
		List<Place> places = new ArrayList<>();
		places.add(a.enqueue(request));
		get(places.get(0).granted());
		for (int i = 0; i < waiting; i++) {
			places.add(inLine((i % 2 == 0) ? b : a, request));
		}
		subscribed(2);
		this.server.command("HSET", "{k}:alive", "", Long.toString(System.currentTimeMillis() + NEVER.toMillis()));
		return places;
	}

	@Test
	void manyFairWaitersOfOneJvmAskOneQuestionInAnInterval() throws Exception {
		DefaultLockTemplate waiter = template(provider(), LOOK);
		// without renewals, which would count too
		LockHandle held = template(provider(), LOOK).acquire(LockRequest.of("k").withLeaseTime(NEVER));
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			waiting.add(waiter.acquireAsync(LockRequest.of("k").withType(LockType.FAIR).withWaitTime(LEASE)));
		}
		Patience.await().until(() -> this.server.command("LLEN", "{p:k}:line").equals(200L));
		subscribed(1);
		// what follows the subscription
		Patience.await().pollDelay(LOOK).until(() -> true);
		long from = System.nanoTime();
		long before = scripts();
		Patience.await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
		long sent = scripts() - before;
		assertThat(sent / ((System.nanoTime() - from) / 1e9)).isLessThanOrEqualTo(2.3);
		AtomicLong last = new AtomicLong();
		AtomicInteger served = new AtomicInteger();
		for (CompletableFuture<LockHandle> each : waiting) {
			each.thenAccept((handle) -> {
				long token = handle.fencingToken().orElseThrow();
				assertThat(last.getAndSet(token)).isLessThan(token);
				served.incrementAndGet();
				handle.close();
			});
		}
		long released = System.nanoTime();
		held.close();
		Patience.await().until(() -> served.get() == 200);
		System.out.println("200 fair waiters served in ms: " + (System.nanoTime() - released) / 1_000_000);
		assertThat(this.server.command("KEYS", "lock:*").toString()).as("the counter alone")
			.matches("\\[lock:\\{~\\w+}]");
	}

	@Test
	void renewalsThatAreDueTogetherAreOneScriptForTen() {
		RedisLockProvider provider = provider();
		List<LeaseRenewal> due = new ArrayList<>();
		for (int i = 0; i < 150; i++) {
			Lease lease = get(
					provider.tryAcquire(request("k" + i, (i % 2 == 0) ? LockType.EXCLUSIVE : LockType.WRITE, LOOK)));
			due.add(new LeaseRenewal(lease, Duration.ofSeconds(90)));
		}
		get(due.get(0).lease().release());
		provider.renewAll(due).forEach((answer) -> get(answer));
		long before = scripts();
		List<LeaseTerm> answers = new ArrayList<>();
		provider.renewAll(due).forEach((answer) -> answers.add(get(answer)));
		assertThat(scripts() - before).isEqualTo(15);
		assertThat(answers.get(0)).isNull();
		assertThat(answers.subList(1, 150)).doesNotContainNull();
		assertThat((Long) this.server.command("PTTL", "k149")).isGreaterThan(80_000L);
	}

	@Test
	void leaseSaysWhetherOthersWait() {
		RedisLockProvider a = provider();
		Lease first = get(a.tryAcquire(request("warm", LockType.EXCLUSIVE, LOOK)));
		assertThat(first.isAwaited()).as("nothing is heard yet").isTrue();
		subscribed(1);
		Patience.await().until(() -> {
			Lease lease = get(a.tryAcquire(request("w", LockType.EXCLUSIVE, LOOK)));
			boolean awaited = lease.isAwaited();
			get(lease.release());
			return !awaited;
		});
		Lease held = get(a.tryAcquire(request("k", LockType.EXCLUSIVE, LOOK)));
		assertThat(held.isAwaited()).isFalse();
		Place place = inLine(provider(), request("k", LockType.EXCLUSIVE, LOOK));
		Patience.await().until(held::isAwaited);
		place.leave();
		Lease written = get(a.tryAcquire(request("l", LockType.WRITE, LOOK)));
		assertThat(written.isAwaited()).isFalse();
		assertThat(get(provider().tryAcquire(request("l", LockType.READ, LOOK)))).isNull();
		Patience.await().until(written::isAwaited);
		Lease quiet = get(a.tryAcquire(request("m", LockType.EXCLUSIVE, LOOK)));
		assertThat(quiet.isAwaited()).isFalse();
		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
		Patience.await().until(quiet::isAwaited);
	}

	@Test
	void exclusionHoldsAndEachIsServed() throws Exception {
		List<DefaultLockTemplate> nodes = List.of(template(provider(), LOOK), template(provider(), LOOK),
				template(provider(), LOOK));
		AtomicInteger inside = new AtomicInteger();
		AtomicLong last = new AtomicLong();
		AtomicLong longest = new AtomicLong();
		AtomicInteger cycles = new AtomicInteger();
		ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
		long until = System.nanoTime() + Duration.ofSeconds(5).toNanos();
		run(6, (thread) -> {
			while (System.nanoTime() < until) {
				long from = System.nanoTime();
				try (LockHandle handle = nodes.get(thread % 3).acquire(LockRequest.of("k").withWaitTime(LEASE))) {
					longest.accumulateAndGet(System.nanoTime() - from, Math::max);
					if (inside.incrementAndGet() != 1) {
						errors.add("two inside");
					}
					long token = handle.fencingToken().orElseThrow();
					if (last.getAndSet(token) >= token) {
						errors.add("token not higher");
					}
					Thread.sleep(1);
					cycles.incrementAndGet();
					inside.decrementAndGet();
				}
			}
		});
		System.out.println("cycles in 5 s: " + cycles + ", longest wait ms: " + longest.get() / 1_000_000
				+ ", commands " + this.server.commandCalls());
		assertThat(errors).isEmpty();
	}

	private long scripts() {
		return this.server.commandCalls()
			.entrySet()
			.stream()
			.filter((call) -> call.getKey().startsWith("eval"))
			.mapToLong((call) -> call.getValue())
			.sum();
	}

	private void subscribed(int jvms) {
		Patience.await().until(() -> ((List<?>) this.server.command("PUBSUB", "CHANNELS", "lock:*")).size() == jvms);
	}

	private static Place inLine(RedisLockProvider provider, LeaseRequest request) {
		Place place = provider.enqueue(request);
		Patience.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(place::isBehindOthers);
		return place;
	}

	/**
	 * A request whose place and grant live long, although it looks often.
	 */
	private static LeaseRequest longLived(LockType type) {
		return new LeaseRequest("k", LEASE, type, 1, System.nanoTime() + LEASE.toNanos(), 4, LOOK, LOCK_DELAY,
				Duration.ZERO);
	}

	private static LeaseRequest request(String key, LockType type, Duration look) {
		return new LeaseRequest(key, LEASE, type, 1, System.nanoTime() + LEASE.toNanos(), 4, look);
	}

	private RedisLockProvider provider() {
		return provider(this.server.url());
	}

	private RedisLockProvider provider(String url) {
		RedisClient client = Clients.client(url);
		this.opened.add(() -> Clients.shutdown(client));
		RedisLockProvider provider = new RedisLockProvider(client, TIMEOUT);
		this.opened.add(provider);
		return provider;
	}

	private DefaultLockTemplate template(RedisLockProvider provider, Duration poll) {
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider)
			.keyPrefix("p")
			.commandTimeout(TIMEOUT)
			.pollInterval(poll)
			.build();
		this.opened.add(template);
		return template;
	}

	private static void run(int threads, Work work) throws InterruptedException, ExecutionException, TimeoutException {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int thread = i;
				all.add(pool.submit(() -> {
					work.run(thread);
					return null;
				}));
			}
			for (Future<?> each : all) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		}
		finally {
			pool.shutdownNow();
		}
	}

	/**
	 * What a thread does.
	 */
	@FunctionalInterface
	private interface Work {

		void run(int thread) throws Exception;

	}

}
