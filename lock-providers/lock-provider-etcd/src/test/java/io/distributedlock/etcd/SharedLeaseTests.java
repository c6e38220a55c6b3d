package io.distributedlock.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.PutOption;
import io.grpc.Status;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SharedLease}, {@link SharedLeases} and {@link OwnKey}.
 */
class SharedLeaseTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static EtcdTestServer server;

	private static Client near;

	private final HeldReplies replies = new HeldReplies();

	private Client client;

	private EtcdLockProvider provider;

	private EtcdLockProvider other;

	@BeforeAll
	static void start() {
		server = EtcdTestServer.run();
		near = Client.builder().endpoints(server.url()).build();
	}

	@AfterAll
	static void stop() {
		if (near != null) {
			near.close();
		}
		if (server != null) {
			server.close();
		}
	}

	@BeforeEach
	void open() {
		this.client = Client.builder().endpoints(server.url()).interceptor(this.replies).build();
		this.provider = new EtcdLockProvider(this.client, EtcdLockProvider.DEFAULT_PREFIX, Duration.ofSeconds(5));
		this.other = new EtcdLockProvider(near, EtcdLockProvider.DEFAULT_PREFIX, Duration.ofSeconds(5));
	}

	@AfterEach
	void close() {
		this.provider.close();
		this.other.close();
		this.client.close();
	}

	@Test
	void aCycleWritesTwoEntriesToTheLog() {
		get(acquire("warm", LONG).release());
		long before = raftIndex();
		for (int i = 0; i < 100; i++) {
			get(acquire("cycle", LONG).release());
		}
		// etcd leases of other tests end meanwhile, with an entry each
		assertThat(raftIndex() - before).isBetween(200L, 250L);
		assertThat(this.replies.count("LeaseGrant")).isEqualTo(1);
		assertThat(this.replies.count("LeaseRevoke")).isZero();
	}

	@Test
	void locksShareTheEtcdLeaseOfTheirLeaseTime() {
		Lease one = acquire("one", LONG);
		Lease two = acquire("two", LONG.minusMillis(500));
		Lease shorter = acquire("shorter", Duration.ofSeconds(5));
		assertThat(leaseId(two)).isEqualTo(leaseId(one));
		assertThat(leaseId(shorter)).isNotEqualTo(leaseId(one));
		assertThat(one.term().granted()).isEqualTo(LONG);
		assertThat(two.term().granted()).isEqualTo(LONG.minusMillis(500));
		assertThat(get(near.getLeaseClient().timeToLive(leaseId(shorter), LeaseOption.DEFAULT)).getGrantedTTL())
			.isEqualTo(5);
		IntStream.range(0, 3).forEach((i) -> get(List.of(one, two, shorter).get(i).release()));
	}

	@Test
	void manyAttemptsAtOnceMakeOneEtcdLease() {
		List<CompletableFuture<Lease>> attempts = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			attempts.add(this.provider.tryAcquire(request("many" + i, LONG)).toCompletableFuture());
		}
		attempts.forEach((attempt) -> get(get(attempt).release()));
		assertThat(this.replies.count("LeaseGrant")).isEqualTo(1);
	}

	@Test
	void localDeadlineIsNotLaterThanTheEndOfTheEtcdLease() {
		Lease first = acquire("first", LONG);
		// the etcd lease was granted before this instant
		assertThat(end(first.term()) - System.nanoTime()).isLessThanOrEqualTo(LONG.toNanos());
		Patience.await().pollDelay(Duration.ofMillis(500)).until(() -> true);
		// a slow machine may have sent one before
		int renewals = this.replies.count("LeaseKeepAlive");
		CompletableFuture<Status> renewal = this.replies.hold("LeaseKeepAlive", renewals + 1);
		long before = System.nanoTime();
		CompletableFuture<Lease> second = this.provider.tryAcquire(request("second", LONG)).toCompletableFuture();
		this.replies.await("LeaseKeepAlive", renewals + 1);
		long sent = System.nanoTime();
		Patience.await().during(Duration.ofMillis(300)).until(() -> !second.isDone());
		renewal.complete(Status.OK);
		Lease lease = get(second);
		assertThat(lease.term().startNanos() - before).isNotNegative();
		assertThat(sent - lease.term().startNanos()).as("the term starts before the renewal was sent").isNotNegative();
		get(lease.release());
		get(first.release());
	}

	@Test
	void keyIsDeletedWhenItsTimeIsOverThoughItsEtcdLeaseIsRenewed() {
		Duration brief = Duration.ofMillis(2200);
		Duration length = Duration.ofSeconds(3);
		Lease left = acquire("left", brief);
		Lease renewed = acquire("renewed", length);
		assertThat(leaseId(left)).isEqualTo(leaseId(renewed));
		Patience.await("the key of the lock that nobody renews")
			.pollInterval(Duration.ofMillis(100))
			.until(() -> get(renewed.renew(length)) != null && keys("left/") == 0);
		assertThat(get(left.renew(brief))).as("a renewal that comes too late").isNull();
		assertThat(keys("renewed/")).isEqualTo(1);
		assertThat(get(renewed.release())).isTrue();
	}

	@Test
	void keyStaysAsLongAsItIsRenewed() {
		Duration brief = Duration.ofMillis(700);
		AtomicReference<Lease> lease = new AtomicReference<>(acquire("kept", brief));
		Patience.await("renewals for longer than a lease")
			.pollInterval(Duration.ofMillis(100))
			.during(Duration.ofSeconds(3))
			.until(() -> {
				if (get(lease.get().renew(brief)) != null) {
					return true;
				}
				// a busy machine has come too late; etcd may not have removed the key yet
				Lease again = get(this.provider.tryAcquire(request("kept", brief)));
				if (again != null) {
					lease.set(again);
				}
				return false;
			});
		assertThat(get(lease.get().release())).isTrue();
	}

	@Test
	void keyWhoseCreationHadNoAnswerIsRemovedAndItsEtcdLeaseIsNotUsedAgain() {
		Lease held = acquire("held", LONG);
		CompletableFuture<Status> answer = this.replies.hold("Txn", 2);
		CompletableFuture<Lease> lost = this.provider.tryAcquire(request("lost", LONG)).toCompletableFuture();
		this.replies.await("Txn", 2);
		assertThat(keys("lost/")).isEqualTo(1);
		answer.complete(Status.UNAVAILABLE);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(lost))
			.withCauseInstanceOf(BackendException.class);
		Patience.await("the key of the unknown owner").atMost(LONG).until(() -> keys("lost/") == 0);
		Lease next = acquire("lost", LONG);
		assertThat(leaseId(next)).isNotEqualTo(leaseId(held));
		assertThat(get(held.renew(LONG))).as("the lock that was held").isNotNull();
		get(next.release());
		get(held.release());
	}

	@Test
	void keyThatIsCreatedTooLateIsFoundAndDeleted() {
		Duration length = Duration.ofSeconds(6);
		Lease held = acquire("searching", length);
		ByteSequence late = EtcdCalls.bytes("distributed-lock/late/w/" + Long.toHexString(leaseId(held)) + "-ff");
		get(near.getKVClient().put(late, ByteSequence.EMPTY, PutOption.builder().withLeaseId(leaseId(held)).build()));
		Patience.await("the key that nobody knows")
			.pollInterval(Duration.ofMillis(200))
			.until(() -> get(held.renew(length)) != null && keys("late/") == 0);
		assertThat(keys("searching/")).isEqualTo(1);
		assertThat(get(held.release())).isTrue();
	}

	@Test
	void oneNameServesAllOwnersOneAfterTheOther() {
		Lease first = acquire("names", LONG);
		assertThat(get(first.release())).isTrue();
		long token = first.fencingToken().orElseThrow();
		for (int i = 0; i < 5; i++) {
			Lease next = acquire("names", LONG);
			assertThat(name(next)).isEqualTo(name(first));
			assertThat(next.fencingToken().orElseThrow()).isGreaterThan(token);
			token = next.fencingToken().orElseThrow();
			assertThat(get(first.renew(LONG))).as("the first owner has the same name").isNull();
			assertThat(get(first.release())).isFalse();
			assertThat(keys("names/")).isEqualTo(1);
			assertThat(get(next.release())).isTrue();
		}
	}

	@Test
	void lockPassesFromCallerToCallerWithTokensBelowThatOfTheNextKey() {
		LockRequest request = LockRequest.of("passed").withWaitTime(LONG);
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.handOverWindow(LONG)
			.build(); DefaultLockTemplate further = DefaultLockTemplate.builder().provider(this.other).build()) {
			LockHandle first = template.acquire(request);
			// on another thread, as this one would enter it again
			CompletableFuture<LockHandle> next = CompletableFuture.supplyAsync(() -> template.acquireAsync(request))
				.join();
			first.close();
			LockHandle second = get(next);
			// an owner with a key of its own would have a token of another block
			assertThat(second.fencingToken().orElseThrow()).isEqualTo(first.fencingToken().orElseThrow() + 1);
			second.close();
			try (LockHandle later = further.acquire(request)) {
				assertThat(later.fencingToken().orElseThrow() - first.fencingToken().orElseThrow())
					.isGreaterThanOrEqualTo(256);
			}
		}
	}

	@Test
	void attemptsThatAreRefusedUseNamesAgain() {
		Lease held = acquire("refused", LONG);
		for (int i = 0; i < 20; i++) {
			assertThat(get(this.provider.tryAcquire(request("refused", LONG)))).isNull();
			assertThat(keys("refused/")).as("keys after the answer").isEqualTo(1);
		}
		assertThat(held(held).lease().takeNumber()).as("the next number").isLessThan(10);
		get(held.release());
	}

	@Test
	void nameOfAKeyWhoseDeletionHadNoAnswerIsNotUsedAgain() {
		Lease first = acquire("unknown", LONG);
		CompletableFuture<Status> answer = this.replies.hold("Txn", 2);
		CompletableFuture<Boolean> released = first.release().toCompletableFuture();
		this.replies.await("Txn", 2);
		answer.complete(Status.UNAVAILABLE);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(released));
		Lease next = acquire("unknown", LONG);
		assertThat(name(next)).isNotEqualTo(name(first));
		get(next.release());
	}

	@Test
	void nameOfAKeyThatSomebodyElseHasDeletedIsNotUsedAgain() {
		Lease first = acquire("deleted", LONG);
		get(near.getKVClient().delete(held(first).name()));
		assertThat(get(first.release())).isFalse();
		Lease next = acquire("deleted", LONG);
		assertThat(name(next)).isNotEqualTo(name(first));
		get(next.release());
	}

	@Test
	void listOfForgottenKeysThatComesLateDeletesNoKeyOfALaterOwner() {
		EtcdCalls calls = new EtcdCalls(near, LONG);
		Lease first = acquire("listed", LONG);
		long listedAt = get(calls.keysOf(leaseId(first))).getHeader().getRevision();
		get(first.release());
		Lease next = acquire("listed", LONG);
		assertThat(name(next)).isEqualTo(name(first));
		assertThat(listedAt).isGreaterThanOrEqualTo(held(first).revision());
		assertThat(get(calls.deleteIfCreatedUpTo(held(next).name(), listedAt))).isFalse();
		assertThat(keys("listed/")).isEqualTo(1);
		get(next.release());
		calls.close();
	}

	@Test
	void renewalByALeaderThatWasReplacedDoesNotCount() {
		Lease lease = acquire("replaced", LONG);
		// a slow machine may have sent one before
		int renewals = this.replies.count("LeaseKeepAlive");
		long firstAt = System.nanoTime();
		this.replies.change("LeaseKeepAlive", renewals + 1, SharedLeaseTests::fromTheTermBefore);
		LeaseTerm renewed = renewedLate(lease, firstAt);
		assertThat(this.replies.count("LeaseKeepAlive")).as("sent again").isEqualTo(renewals + 2);
		assertThat(renewed.startNanos()).isGreaterThan(firstAt);
		IntStream.range(renewals + 3, renewals + 6)
			.forEach((i) -> this.replies.change("LeaseKeepAlive", i, SharedLeaseTests::fromTheTermBefore));
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> renewedLate(lease, System.nanoTime()))
			.havingCause()
			.isInstanceOfSatisfying(BackendException.class, (ex) -> assertThat(ex.isRetryable()).isTrue())
			.withMessageContaining("elected");
		get(lease.release());
	}

	/**
	 * Renew a lease when a renewal of before is not new enough any more.
	 */
	private static LeaseTerm renewedLate(Lease lease, long afterNanos) {
		Patience.await().until(() -> System.nanoTime() - afterNanos > 200_000_000);
		return Objects.requireNonNull(get(lease.renew(LONG)));
	}

	private static LeaseKeepAliveResponse fromTheTermBefore(Object answer) {
		LeaseKeepAliveResponse response = (LeaseKeepAliveResponse) answer;
		ResponseHeader header = response.getHeader();
		return response.toBuilder().setHeader(header.toBuilder().setRaftTerm(header.getRaftTerm() - 1)).build();
	}

	@Test
	void everyLockOfAnEtcdLeaseThatWasRevokedIsReportedAsLost() {
		Lease one = acquire("lost1", LONG);
		Lease two = acquire("lost2", LONG);
		Lease spared = acquire("spared", Duration.ofSeconds(5));
		CompletableFuture<String> toldOfOne = new CompletableFuture<>();
		CompletableFuture<String> toldOfTwo = new CompletableFuture<>();
		one.onLost(toldOfOne::complete);
		two.onLost(toldOfTwo::complete);
		get(near.getLeaseClient().revoke(leaseId(one)));
		Patience.await("a renewal that tells of it").atMost(LONG).until(() -> get(one.renew(LONG)) == null);
		assertThat(get(toldOfOne)).isEqualTo(get(toldOfTwo)).contains("etcd");
		assertThat(get(two.renew(LONG))).isNull();
		assertThat(get(two.release())).isFalse();
		assertThat(get(spared.renew(Duration.ofSeconds(5)))).isNotNull();
		get(spared.release());
	}

	@Test
	void lockIsAcquiredAtOnceAfterTheEtcdLeaseWasRevoked() {
		Lease before = acquire("before", LONG);
		get(near.getLeaseClient().revoke(leaseId(before)));
		Lease after = acquire("after", LONG);
		assertThat(leaseId(after)).isNotEqualTo(leaseId(before));
		assertThat(get(after.release())).isTrue();
	}

	@Test
	void waiterLearnsThatItsKeyHasGone() {
		Lease holder = Objects.requireNonNull(get(this.other.tryAcquire(request("gone", LONG))));
		LockQueue.Place place = this.provider.enqueue(request("gone", LONG));
		Patience.await().atMost(LONG).until(place::isBehindOthers);
		get(near.getKVClient().get(key("gone/"), GetOption.builder().isPrefix(true).build())).getKvs()
			.stream()
			.filter((each) -> each.getLease() != leaseId(holder))
			.forEach((each) -> get(near.getKVClient().delete(each.getKey())));
		assertThat(place.granted()).failsWithin(LONG)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(BackendException.class)
			.withMessageContaining("expired");
		get(holder.release());
	}

	private Lease acquire(String key, Duration leaseTime) {
		return Objects.requireNonNull(get(this.provider.tryAcquire(request(key, leaseTime))));
	}

	private static LeaseRequest request(String key, Duration leaseTime) {
		return new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE);
	}

	private static OwnKey held(Lease lease) {
		return ((EtcdLease) lease).own();
	}

	private static String name(Lease lease) {
		return held(lease).name().toString();
	}

	private static long leaseId(Lease lease) {
		return held(lease).lease().id();
	}

	private static long end(LeaseTerm term) {
		return term.startNanos() + term.granted().toNanos();
	}

	private static long keys(String key) {
		return get(near.getKVClient().get(key(key), GetOption.builder().isPrefix(true).withCountOnly(true).build()))
			.getCount();
	}

	private static ByteSequence key(String key) {
		return EtcdCalls.bytes(EtcdLockProvider.DEFAULT_PREFIX + key);
	}

	private static long raftIndex() {
		return get(near.getMaintenanceClient().statusMember(server.url())).getRaftIndex();
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
	}

}
