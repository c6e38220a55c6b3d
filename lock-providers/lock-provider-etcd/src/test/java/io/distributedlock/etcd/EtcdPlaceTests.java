package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EtcdPlace}.
 */
class EtcdPlaceTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LeaseRequest REQUEST = new LeaseRequest("k", LONG, LockType.EXCLUSIVE);

	@Test
	void lookThatFailsAfterTheLockWasGrantedLeavesTheLockToItsHolder() {
		HeldReplies replies = new HeldReplies();
		try (EtcdTestServer server = EtcdTestServer.run();
				Client near = Client.builder().endpoints(server.url()).build();
				Client far = Client.builder().endpoints(server.url()).interceptor(replies).build();
				EtcdLockProvider other = provider(near);
				EtcdLockProvider provider = provider(far)) {
			Lease before = Objects.requireNonNull(get(other.tryAcquire(REQUEST)));
			// the first creates the key
			CompletableFuture<Status> look = replies.hold("Txn", 2);
			LockQueue.Place place = provider.enqueue(REQUEST);
			Patience.await("the place is taken").atMost(LONG).until(place::isBehindOthers);
			place.lookAgain();
			replies.await("Txn", 2);
			get(before.release());
			Lease lease = get(place.granted());
			look.complete(Status.UNAVAILABLE);
			Patience.await("the holder still has the lock")
				.during(Duration.ofSeconds(1))
				.atMost(LONG)
				.until(() -> get(lease.renew(LONG)) != null);
			assertThat(get(other.tryAcquire(REQUEST))).isNull();
			assertThat(get(lease.release())).isTrue();
		}
	}

	@Test
	void placeIsGrantedByTheWatchAloneOnceTheQueueIsKnown() {
		HeldReplies replies = new HeldReplies();
		try (EtcdTestServer server = EtcdTestServer.run();
				Client near = Client.builder().endpoints(server.url()).build();
				Client far = Client.builder().endpoints(server.url()).interceptor(replies).build();
				EtcdLockProvider other = provider(near);
				EtcdLockProvider provider = provider(far)) {
			Lease first = Objects.requireNonNull(get(other.tryAcquire(REQUEST)));
			LockQueue.Place second = other.enqueue(REQUEST);
			Patience.await().atMost(LONG).until(second::isBehindOthers);
			LockQueue.Place place = provider.enqueue(REQUEST);
			Patience.await("the place is taken").atMost(LONG).until(place::isBehindOthers);
			get(first.release());
			Lease middle = get(second.granted());
			assertThat(place.granted().toCompletableFuture()).isNotDone();
			get(middle.release());
			Lease lease = get(place.granted());
			assertThat(replies.count("Txn")).as("the creation of the key, and no question").isEqualTo(1);
			assertThat(replies.count("Watch")).as("watches for all places").isEqualTo(1);
			assertThat(get(lease.release())).isTrue();
			assertThat(replies.count("Watch")).isEqualTo(1);
		}
	}

	@Test
	void grantWaitsForTheRenewalOfAnEtcdLeaseThatHasRunForAWhile() {
		HeldReplies replies = new HeldReplies();
		try (EtcdTestServer server = EtcdTestServer.run();
				Client near = Client.builder().endpoints(server.url()).build();
				Client far = Client.builder().endpoints(server.url()).interceptor(replies).build();
				EtcdLockProvider other = provider(near);
				EtcdLockProvider provider = provider(far)) {
			Lease before = Objects.requireNonNull(get(other.tryAcquire(REQUEST)));
			LockQueue.Place place = provider.enqueue(REQUEST);
			Patience.await("the place is taken").atMost(LONG).until(place::isBehindOthers);
			Patience.await("the grant of the etcd lease is old")
				.pollDelay(Duration.ofMillis(200))
				.atMost(LONG)
				.until(place::isBehindOthers);
			// on a slow machine the lease was renewed already when the place was taken
			int next = replies.count("LeaseKeepAlive") + 1;
			CompletableFuture<Status> renewal = replies.hold("LeaseKeepAlive", next);
			long releasedAt = System.nanoTime();
			get(before.release());
			replies.await("LeaseKeepAlive", next);
			assertThat(place.granted().toCompletableFuture()).isNotDone();
			renewal.complete(Status.OK);
			Lease lease = get(place.granted());
			assertThat(lease.term().granted()).isEqualTo(LONG);
			assertThat(lease.term().startNanos() - releasedAt).isPositive();
			get(lease.release());
		}
	}

	@Test
	void pollDuringALookAsksNoSecondQuestion() {
		HeldReplies replies = new HeldReplies();
		try (EtcdTestServer server = EtcdTestServer.run();
				Client near = Client.builder().endpoints(server.url()).build();
				Client far = Client.builder().endpoints(server.url()).interceptor(replies).build();
				EtcdLockProvider other = provider(near);
				EtcdLockProvider provider = provider(far)) {
			Objects.requireNonNull(get(other.tryAcquire(REQUEST)));
			CompletableFuture<Status> firstLook = replies.hold("Txn", 2);
			LockQueue.Place place = provider.enqueue(REQUEST);
			Patience.await("the place is taken").atMost(LONG).until(place::isBehindOthers);
			place.lookAgain();
			replies.await("Txn", 2);
			place.lookAgain();
			place.lookAgain();
			firstLook.complete(Status.OK);
			Patience.await("no other look")
				.during(Duration.ofMillis(500))
				.atMost(LONG)
				.until(() -> replies.count("Txn") == 2);
			place.leave();
		}
	}

	@Test
	void keyIsNotCreatedAfterALookWhoseAnswerNobodyWaitedFor() {
		HeldReplies replies = new HeldReplies();
		try (EtcdTestServer server = EtcdTestServer.run();
				Client near = Client.builder().endpoints(server.url()).build();
				Client far = Client.builder().endpoints(server.url()).interceptor(replies).build();
				EtcdLockProvider other = provider(near);
				EtcdLockProvider provider = provider(far)) {
			Lease before = Objects.requireNonNull(get(other.tryAcquire(REQUEST)));
			// creates a key, and deletes it; after that an attempt looks first
			assertThat(get(provider.tryAcquire(REQUEST))).isNull();
			get(before.release());
			CompletableFuture<Status> look = replies.hold("Txn", 3);
			LeaseRequest impatient = new LeaseRequest("k", LONG, LockType.EXCLUSIVE, 1,
					System.nanoTime() + Duration.ofSeconds(1).toNanos());
			CompletionStage<Lease> attempt = provider.tryAcquire(impatient);
			replies.await("Txn", 3);
			Patience.await().until(() -> impatient.remainingNanos() <= 0);
			look.complete(Status.OK);
			Patience.await().until(attempt.toCompletableFuture()::isDone);
			assertThat(replies.count("Txn")).isEqualTo(3);
		}
	}

	private static EtcdLockProvider provider(Client client) {
		return new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, LONG);
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
	}

}
