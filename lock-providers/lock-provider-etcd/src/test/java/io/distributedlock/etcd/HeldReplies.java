package io.distributedlock.etcd;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.distributedlock.test.patience.Patience;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;

/**
 * Holds replies, until a test lets them through or replaces them by a failure, or changes
 * them.
 */
final class HeldReplies implements ClientInterceptor {

	private final Map<String, CompletableFuture<Status>> held = new ConcurrentHashMap<>();

	private final Map<String, UnaryOperator<Object>> changes = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

	private final Map<String, Boolean> arrived = new ConcurrentHashMap<>();

	CompletableFuture<Status> hold(String method, int number) {
		return this.held.computeIfAbsent(method + number, (key) -> new CompletableFuture<>());
	}

	void change(String method, int number, UnaryOperator<Object> change) {
		this.changes.put(method + number, change);
	}

	void await(String method, int number) {
		Patience.await(method + number).until(() -> hasArrived(method, number));
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
		UnaryOperator<Object> change = this.changes.get(number);
		if (change != null) {
			return new SimpleForwardingClientCall<>(call) {
				@Override
				public void start(Listener<A> listener, Metadata headers) {
					super.start(new ChangingListener<>(listener, change), headers);
				}
			};
		}
		return (release == null) ? call : new SimpleForwardingClientCall<>(call) {
			@Override
			public void start(Listener<A> listener, Metadata headers) {
				super.start(new HeldListener<>(listener, release, () -> HeldReplies.this.arrived.put(number, true)),
						headers);
			}
		};
	}

	private static final class ChangingListener<A> extends SimpleForwardingClientCallListener<A> {

		private final UnaryOperator<Object> change;

		private ChangingListener(ClientCall.Listener<A> listener, UnaryOperator<Object> change) {
			super(listener);
			this.change = change;
		}

		@Override
		@SuppressWarnings("unchecked") // a change keeps the type
		public void onMessage(A message) {
			super.onMessage((A) this.change.apply(message));
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
