package io.distributedlock.etcd;

import java.time.Duration;

import io.etcd.jetcd.ClientBuilder;

/**
 * Makes jetcd clients fit for locks.
 *
 * @since 0.1
 */
public final class EtcdClients {

	/**
	 * gRPC asks no sooner than this whether a connection is still there.
	 */
	private static final Duration KEEPALIVE = Duration.ofSeconds(10);

	private EtcdClients() {
	}

	/**
	 * Prepare a client that is used for locks alone. It asks for a new connection half a
	 * second after one has failed, however long etcd was down, where gRPC waits for up to
	 * two minutes; it replaces a connection on which nothing is answered; and a request
	 * that was not answered within the command time-out is not sent any more, nor again.
	 * <p>
	 * Sets the policy of load balancing, the times of connecting and of keep-alive and
	 * the number of retries, and adds an interceptor. Addresses, credentials and TLS are
	 * left to the caller.
	 * @param builder the builder of the client
	 * @param commandTimeout how long to wait for the answer to a command, as the
	 * {@link EtcdLockProvider} is told
	 * @return the builder
	 */
	public static ClientBuilder forLocks(ClientBuilder builder, Duration commandTimeout) {
		PromptReconnect.register();
		return builder.connectTimeout(commandTimeout)
			.keepaliveTime(KEEPALIVE)
			.keepaliveTimeout(commandTimeout)
			.loadBalancerPolicy(PromptReconnect.NAME)
			.retryMaxAttempts(1)
			.retryDelay(50)
			.interceptor(new CommandDeadline(commandTimeout));
	}

}
