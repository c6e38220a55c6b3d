package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import org.awaitility.Awaitility;
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
			CompletableFuture<Status> creation = replies.hold("Txn", 1);
			CompletableFuture<Status> firstLook = replies.hold("Txn", 2);
			CompletableFuture<Status> secondLook = replies.hold("Txn", 3);
			CompletableFuture<Status> renewal = replies.hold("LeaseKeepAlive", 1);
			LockQueue.Place place = provider.enqueue(REQUEST);
			replies.await("Txn", 1);
			// the place was behind another one when it was created, and is first when it
			// looks
			get(before.release());
			creation.complete(Status.OK);
			replies.await("Txn", 2);
			firstLook.complete(Status.OK);
			replies.await("LeaseKeepAlive", 1);
			// a poll is ignored until the first look has ended, which may be after the
			// renewal
			Awaitility.await("the second look").atMost(LONG).until(() -> {
				place.lookAgain();
				return replies.hasArrived("Txn", 3);
			});
			renewal.complete(Status.OK);
			Lease lease = get(place.granted());
			secondLook.complete(Status.UNAVAILABLE);
			Awaitility.await("the holder still has the lock")
				.during(Duration.ofSeconds(1))
				.atMost(LONG)
				.until(() -> get(lease.renew(LONG)) != null);
			assertThat(get(other.tryAcquire(REQUEST))).isNull();
			assertThat(get(lease.release())).isTrue();
		}
	}

	@Test
	void releaseDuringALookIsFoundByOneMoreLook() {
		HeldReplies replies = new HeldReplies();
		try (EtcdTestServer server = EtcdTestServer.run();
				Client near = Client.builder().endpoints(server.url()).build();
				Client far = Client.builder().endpoints(server.url()).interceptor(replies).build();
				EtcdLockProvider other = provider(near);
				EtcdLockProvider provider = provider(far)) {
			Lease before = Objects.requireNonNull(get(other.tryAcquire(REQUEST)));
			// the first creates the key and the second begins the watch
			CompletableFuture<Status> poll = replies.hold("Txn", 3);
			LockQueue.Place place = provider.enqueue(REQUEST);
			Awaitility.await("the first look").atMost(LONG).until(place::isBehindOthers);
			Awaitility.await("the second look").atMost(LONG).until(() -> {
				place.lookAgain();
				return replies.hasArrived("Txn", 3);
			});
			// etcd has answered that look before the release, which nobody polls for
			get(before.release());
			Awaitility.await()
				.during(Duration.ofMillis(500))
				.until(() -> !place.granted().toCompletableFuture().isDone());
			poll.complete(Status.OK);
			assertThat(get(get(place.granted()).release())).isTrue();
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
			replies.await("Txn", 2);
			place.lookAgain();
			place.lookAgain();
			firstLook.complete(Status.OK);
			Awaitility.await().atMost(LONG).until(place::isBehindOthers);
			Awaitility.await("no other look")
				.during(Duration.ofMillis(500))
				.atMost(LONG)
				.until(() -> replies.count("Txn") == 2);
			place.leave();
		}
	}

	private static EtcdLockProvider provider(Client client) {
		return new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, LONG);
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
	}

	/**
	 * Holds replies, until a test lets them through or replaces them by a failure.
	 */
	private static final class HeldReplies implements ClientInterceptor {

		private final Map<String, CompletableFuture<Status>> held = new ConcurrentHashMap<>();

		private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

		private final Map<String, Boolean> arrived = new ConcurrentHashMap<>();

		CompletableFuture<Status> hold(String method, int number) {
			return this.held.computeIfAbsent(method + number, (key) -> new CompletableFuture<>());
		}

		void await(String method, int number) {
			Awaitility.await(method + number).atMost(LONG).until(() -> hasArrived(method, number));
		}

		boolean hasArrived(String method, int number) {
			return this.arrived.containsKey(method + number);
		}

		int count(String method) {
			return this.calls.getOrDefault(method, new AtomicInteger()).get();
		}

		@Override
		public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
			ClientCall<Q, A> call = next.newCall(method, options);
			String name = String.valueOf(method.getBareMethodName());
			String number = name + this.calls.computeIfAbsent(name, (key) -> new AtomicInteger()).incrementAndGet();
			CompletableFuture<Status> release = this.held.get(number);
			return (release == null) ? call : new SimpleForwardingClientCall<>(call) {
				@Override
				public void start(Listener<A> listener, Metadata headers) {
					super.start(new HeldListener<>(listener, release, () -> HeldReplies.this.arrived.put(number, true)),
							headers);
				}
			};
		}

	}

	private static final class HeldListener<A> extends SimpleForwardingClientCallListener<A> {

		private final CompletableFuture<Status> release;

		private final Runnable onArrived;

		private HeldListener(ClientCall.Listener<A> listener, CompletableFuture<Status> release, Runnable onArrived) {
			super(listener);
			this.release = release;
			this.onArrived = onArrived;
		}

		@Override
		public void onMessage(A message) {
			this.release.thenAccept((status) -> {
				if (status.isOk()) {
					super.onMessage(message);
				}
				else {
					super.onClose(status, new Metadata());
				}
			});
			this.onArrived.run();
		}

		@Override
		public void onClose(Status status, Metadata trailers) {
			this.release.thenAccept((instead) -> {
				if (instead.isOk()) {
					super.onClose(status, trailers);
				}
			});
		}

	}

}
