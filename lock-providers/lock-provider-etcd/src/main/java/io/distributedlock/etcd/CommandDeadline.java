package io.distributedlock.etcd;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;

/**
 * Ends commands shortly before the command time-out, so that a command which was not sent
 * by then is not sent later, when there is a connection again. It is before, since gRPC
 * can say why there was no answer, and where. Watches have no deadline.
 */
final class CommandDeadline implements ClientInterceptor {

	/**
	 * The stream on which jetcd sends a single request to renew a lease. It is a command
	 * too, though not of gRPC's type for single requests.
	 */
	private static final String KEEP_ALIVE = "etcdserverpb.Lease/LeaseKeepAlive";

	private final long nanos;

	private final Supplier<String> servers;

	/**
	 * Create an interceptor.
	 * @param servers where the client connects to, known once the client is built
	 */
	CommandDeadline(Duration commandTimeout, Supplier<String> servers) {
		this.nanos = commandTimeout.multipliedBy(9).dividedBy(10).toNanos();
		this.servers = servers;
	}

	@Override
	public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
		boolean command = method.getType() == MethodType.UNARY || KEEP_ALIVE.equals(method.getFullMethodName());
		if (!command || options.getDeadline() != null) {
			return next.newCall(method, options);
		}
		return new SimpleForwardingClientCall<>(
				next.newCall(method, options.withDeadlineAfter(this.nanos, TimeUnit.NANOSECONDS))) {

			@Override
			public void start(Listener<A> listener, Metadata headers) {
				super.start(naming(listener), headers);
			}

		};
	}

	/**
	 * Add the servers where gRPC says of a connection only that it waits for it.
	 */
	private <A> ClientCall.Listener<A> naming(ClientCall.Listener<A> listener) {
		return new SimpleForwardingClientCallListener<>(listener) {

			@Override
			public void onClose(Status status, Metadata trailers) {
				Status told = (status.getCode() != Status.Code.DEADLINE_EXCEEDED) ? status
						: status.augmentDescription("[remote_addr=%s]".formatted(CommandDeadline.this.servers.get()));
				super.onClose(told, trailers);
			}

		};
	}

}
