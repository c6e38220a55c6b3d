package io.distributedlock.test;

import java.time.Duration;
import java.util.List;

import io.distributedlock.spi.LockProvider;

/**
 * Creates providers that share one backend, in this JVM and in others. An implementation
 * must be public and have a public constructor without arguments.
 *
 * @since 0.1
 */
public interface ProviderFactory {

	/**
	 * Create a provider with a client of its own, like one more node of an application.
	 * @param arguments say where the backend is, see {@link ProviderSource#arguments()}
	 * @param commandTimeout how long the provider and its client wait for the answer to a
	 * command. It is short for a node whose server will be disturbed, because the case
	 * waits for it. For all others it is longer than any pause of a busy machine
	 * @return the provider and its client
	 */
	Node create(List<String> arguments, Duration commandTimeout);

	/**
	 * A provider and its client, as one node of an application has them.
	 *
	 * @param provider the provider, which is closed first
	 * @param client closes the client
	 */
	record Node(LockProvider provider, AutoCloseable client) {

		/**
		 * Describe a node whose provider needs no client.
		 * @param provider the provider
		 */
		public Node(LockProvider provider) {
			this(provider, () -> {
			});
		}

	}

}
