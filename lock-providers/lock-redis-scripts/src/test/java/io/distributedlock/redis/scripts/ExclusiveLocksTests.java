package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue.Place;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Places in the line of a real server, with messages that arrive when the test says so.
 */
class ExclusiveLocksTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	/**
	 * An interval that is so short that each look is one.
	 */
	private static final Duration LOOK = Duration.ofMillis(1);

	private static final Duration NEVER = Duration.ofMinutes(10);

	private static final TokenCounters COUNTERS = new TokenCounters("app", false);

	private static RedisTestServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private ServerRunner holdersRunner;

	private ExclusiveLocks holder;

	private ServerRunner runner;

	private ExclusiveLocks waiter;

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void start() {
		server.command("FLUSHALL");
		this.holdersRunner = open(new ServerRunner(server));
		this.holder = locks(this.holdersRunner);
		this.runner = open(new ServerRunner(server));
		this.waiter = locks(this.runner);
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable each : this.opened) {
			each.close();
		}
	}

	@Test
	void messageOfAnEarlierGrantConfirmsNothingOfALaterOne() throws Exception {
		Lease held = take();
		Place place = this.waiter.enqueue(request(LOOK));
		letTheWaiterLive();
		get(held.release());
		String early = this.runner.nextMessage();
		Patience.await("the grant lapses").until(() -> server.command("EXISTS", "k").equals(0L));
		Lease second = take();
		place.lookAgain();
		assertThat(server.command("LLEN", "{k}:line")).as("joined again").isEqualTo(1L);
		get(second.release());
		long later = tokenOf(this.runner.nextMessage());
		this.runner.deliver(early);
		Lease lease = get(place.granted());
		assertThat(lease.fencingToken().orElseThrow()).isGreaterThan(later);
		assertThat(lease.term().granted()).isEqualTo(LEASE);
		assertThat(server.command("GET", "k")).isEqualTo(lease.ownerId().orElseThrow());
	}

	@Test
	void messageOfAGrantThatLapsedConfirmsNothing() throws Exception {
		Lease held = take();
		Place place = this.waiter.enqueue(request(LOOK));
		letTheWaiterLive();
		get(held.release());
		String early = this.runner.nextMessage();
		Patience.await("the grant lapses").until(() -> server.command("EXISTS", "k").equals(0L));
		Lease second = take();
		this.runner.deliver(early);
		assertThat(place.granted().toCompletableFuture()).isNotDone();
		get(second.release());
		this.runner.deliver(this.runner.nextMessage());
		assertThat(get(place.granted()).fencingToken().orElseThrow())
			.isGreaterThan(second.fencingToken().orElseThrow());
	}

	@Test
	void placeThatIsLeftBeforeItsMessageArrivesHasNoLease() throws Exception {
		Lease held = take();
		Place place = this.waiter.enqueue(request(NEVER));
		get(held.release());
		String message = this.runner.nextMessage();
		place.leave();
		this.runner.deliver(message);
		assertThat(place.granted().toCompletableFuture()).isCompletedExceptionally();
		assertThat(server.command("EXISTS", "k", "{k}:line")).isEqualTo(0L);
	}

	@Test
	void placeWhoseMessageArrivesBeforeItIsLeftHasALease() throws Exception {
		Lease held = take();
		Place place = this.waiter.enqueue(request(NEVER));
		get(held.release());
		this.runner.deliver(this.runner.nextMessage());
		place.leave();
		Lease lease = get(place.granted());
		assertThat(server.command("GET", "k")).isEqualTo(lease.ownerId().orElseThrow());
		assertThat(get(lease.renew(LEASE))).isNotNull();
	}

	@Test
	void eitherTheGrantOrTheLeaveWins() throws Exception {
		for (int i = 0; i < 200; i++) {
			Lease held = take();
			Place place = this.waiter.enqueue(request(NEVER));
			get(held.release());
			String message = this.runner.nextMessage();
			CyclicBarrier start = new CyclicBarrier(2);
			CompletableFuture<Void> leaving = CompletableFuture.runAsync(() -> {
				await(start);
				place.leave();
			}, (run) -> new Thread(run).start());
			await(start);
			this.runner.deliver(message);
			leaving.get(Patience.SECONDS, TimeUnit.SECONDS);
			CompletableFuture<Lease> granted = place.granted().toCompletableFuture();
			assertThat(granted).isDone();
			if (granted.isCompletedExceptionally()) {
				assertThat(server.command("EXISTS", "k")).as("free").isEqualTo(0L);
			}
			else {
				assertThat(server.command("GET", "k")).isEqualTo(get(granted).ownerId().orElseThrow());
				assertThat(get(get(granted).release())).isTrue();
			}
		}
	}

	@Test
	void leaseIsNotShortenedByAMessageThatArrivesAfterTheAnswer() throws Exception {
		Lease held = take();
		Place place = this.waiter.enqueue(request(LOOK));
		letTheWaiterLive();
		get(held.release());
		// before the message arrives
		place.lookAgain();
		Lease lease = get(place.granted());
		assertThat(lease.term().granted()).isEqualTo(LEASE);
		this.runner.deliver(this.runner.nextMessage());
		assertThat((Long) server.command("PTTL", "k")).isGreaterThan(LEASE.toMillis() - 20_000);
		assertThat(get(place.granted())).isSameAs(lease);
	}

	@Test
	void hundredsOfPlacesThatJoinAgainHaveOneEntryEach() {
		take();
		List<Place> places = IntStream.range(0, 300).mapToObj((i) -> this.waiter.enqueue(request(LOOK))).toList();
		assertThat(server.command("LLEN", "{k}:line")).isEqualTo(300L);
		// the oldest place finds that it is not in the line, so all join again
		server.command("LPOP", "{k}:line");
		places.get(0).lookAgain();
		List<?> line = (List<?>) server.command("LRANGE", "{k}:line", "0", "-1");
		assertThat(line).hasSize(300).doesNotHaveDuplicates();
	}

	@Test
	void placeWhoseAnswerWasLostWhenItJoinedAgainAsksAgain() {
		take();
		List<Place> places = IntStream.range(0, 2).mapToObj((i) -> this.waiter.enqueue(request(LOOK))).toList();
		server.command("DEL", "{k}:line");
		this.runner.loseAnswers((call) -> call.script() == LockScripts.PLAIN.acquire());
		places.get(0).lookAgain();
		assertThat(places).noneMatch(Place::isBehindOthers);
		this.runner.loseAnswers((call) -> false);
		places.get(0).lookAgain();
		assertThat(places).allMatch(Place::isBehindOthers);
		assertThat(server.command("LLEN", "{k}:line")).isEqualTo(2L);
	}

	@Test
	void placeThatCouldNotJoinAgainDoesSoAlthoughAnOlderOneHas() {
		take();
		Place oldest = this.waiter.enqueue(request(LOOK));
		Place second = this.waiter.enqueue(request(LOOK));
		String entry = String.valueOf(server.command("LINDEX", "{k}:line", "1"));
		server.command("DEL", "{k}:line");
		this.runner.refuse((call) -> entry.startsWith(call.arguments().get(0) + ' '));
		oldest.lookAgain();
		assertThat(server.command("LLEN", "{k}:line")).as("the oldest alone").isEqualTo(1L);
		this.runner.refuse((call) -> false);
		oldest.lookAgain();
		assertThat(second.isBehindOthers()).isTrue();
		assertThat(server.command("LINDEX", "{k}:line", "1")).isEqualTo(entry);
	}

	@Test
	void channelThatIsRefusedIsAskedForOnceInAnInterval() {
		this.runner.refuseSubscriptions();
		take();
		for (int i = 0; i < 20; i++) {
			this.waiter.enqueue(request(NEVER));
		}
		assertThat(this.runner.subscriptions()).isEqualTo(1);
		Patience.await().until(() -> {
			this.waiter.enqueue(request(LOOK)).leave();
			return this.runner.subscriptions() == 3;
		});
	}

	/**
	 * Others have come and gone in the line of the key while the server let a place join,
	 * so that the line was empty.
	 */
	@Test
	void placeOfALineThatWasEmptyLooksAfterAReconnection() {
		for (int i = 0; i <= 1000; i++) {
			get(this.waiter.enqueue(request("another:" + i, NEVER)).granted());
		}
		Lease held = take();
		List<Place> later = new ArrayList<>();
		this.runner.loseAnswers((call) -> {
			if (later.isEmpty()) {
				later.add(null);
				this.waiter.enqueue(request(NEVER)).leave();
				later.set(0, this.waiter.enqueue(request(NEVER)));
			}
			return false;
		});
		Place place = this.waiter.enqueue(request(NEVER));
		later.get(0).leave();
		assertThat(place.isBehindOthers()).isTrue();
		get(held.release());
		assertThat(place.granted().toCompletableFuture()).as("before its message arrives").isNotDone();
		this.runner.reconnect();
		get(place.granted());
	}

	@Test
	void placeLooksIfItHeardSomethingBeforeTheAnswerThatConfirmsIt() {
		take();
		this.waiter.enqueue(request(NEVER)).leave();
		AtomicBoolean freed = new AtomicBoolean();
		this.runner.loseAnswers((call) -> {
			if (freed.compareAndSet(false, true)) {
				server.command("DEL", "k");
				this.runner.reconnect();
			}
			return false;
		});
		get(this.waiter.enqueue(request(NEVER)).granted());
	}

	@Test
	void serviceWhoseMessagesReachNobodyIsNamed() {
		get(this.holder.check((channel) -> {
			this.holdersRunner.deliver("");
			return CompletableFuture.completedFuture(1L);
		}));
		get(this.waiter.check((channel) -> CompletableFuture.completedFuture(1L)));
		Patience.await()
			.untilAsserted(() -> assertThat(this.runner.warnings()).singleElement()
				.asString()
				.contains("refuses PUBLISH", "poll"));
		assertThat(this.holdersRunner.warnings()).as("where the message has arrived").isEmpty();
	}

	/**
	 * Let the JVM that waits count as alive, however long the machine stops it.
	 */
	private void letTheWaiterLive() {
		server.command("HSET", "{k}:alive", this.waiter.channel().substring("app:".length()), "9999999999999");
		server.command("PEXPIRE", "{k}:alive", "600000");
	}

	private Lease take() {
		Lease lease = get(this.holder.tryAcquire(request(LOOK)));
		assertThat(lease).isNotNull();
		return lease;
	}

	private ServerRunner open(ServerRunner created) {
		this.opened.add(created);
		return created;
	}

	private ExclusiveLocks locks(ServerRunner over) {
		ExclusiveLocks locks = new ExclusiveLocks(over, LockScripts.PLAIN, COUNTERS);
		this.opened.add(locks);
		return locks;
	}

	private static long tokenOf(String message) {
		return Long.parseLong(message.split(" ", -1)[1]);
	}

	private static LeaseRequest request(Duration look) {
		return request("k", look);
	}

	private static LeaseRequest request(String key, Duration look) {
		return new LeaseRequest(key, LEASE, LockType.FAIR, 1, System.nanoTime() + LEASE.toNanos(), 1, look);
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(Patience.SECONDS, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
