package io.distributedlock.etcd;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

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

	CommandDeadline(Duration commandTimeout) {
		this.nanos = commandTimeout.multipliedBy(9).dividedBy(10).toNanos();
	}

	@Override
	public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
		boolean command = method.getType() == MethodType.UNARY || KEEP_ALIVE.equals(method.getFullMethodName());
		return next.newCall(method, (command && options.getDeadline() == null)
				? options.withDeadlineAfter(this.nanos, TimeUnit.NANOSECONDS) : options);
	}

}
