package io.distributedlock.etcd;

import java.time.Duration;

import io.etcd.jetcd.ClientBuilder;

/**
 * Prepares jetcd clients for locks.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 *
 * @since 0.1
 */
public final class EtcdClients {

	/**
	 * How long a connection may be silent until gRPC asks the server for an answer. gRPC
	 * allows no shorter time.
	 */
	private static final Duration KEEPALIVE = Duration.ofSeconds(10);

	private EtcdClients() {
	}

	/**
	 * Prepare a client that is used for locks alone. It tries to connect again half a
	 * second after a connection has failed, however long etcd was down; gRPC would wait
	 * for up to two minutes. It replaces a connection on which nothing is answered. A
	 * request that was not answered within nine tenths of the command time-out is not
	 * sent after that, and its failure says why, with the address.
	 * <p>
	 * Sets the policy of load balancing, the times to connect and of keep-alive and the
	 * number of retries, and adds an interceptor. The caller sets addresses, credentials
	 * and TLS.
	 * @param builder the builder of the client
	 * @param commandTimeout how long to wait for the answer to a command, as the
	 * {@link EtcdLockProvider} is told
	 * @return the builder
	 */
	public static ClientBuilder forLocks(ClientBuilder builder, Duration commandTimeout) {
		PromptReconnect.register();
		// so short that a command which waits for the connection is told what is wrong
		return builder.connectTimeout(commandTimeout.multipliedBy(2).dividedBy(3))
			.keepaliveTime(KEEPALIVE)
			.keepaliveTimeout(commandTimeout)
			.loadBalancerPolicy(PromptReconnect.NAME)
			// the engine tries again itself, and knows until when
			.retryMaxAttempts(1)
			.retryDelay(50)
			.interceptor(new CommandDeadline(commandTimeout, builder::target));
	}

}
