package io.distributedlock.test;

import java.util.List;

import io.distributedlock.spi.LockProvider;

/**
 * Makes providers that share one backend, in this JVM and in others. An implementation
 * has a public constructor without arguments.
 *
 * @since 0.1
 */
public interface ProviderFactory {

	/**
	 * Make a provider with a client of its own, as another node of an application has.
	 * @param arguments what says where the backend is
	 * @return the provider and its client
	 */
	Node create(List<String> arguments);

	/**
	 * What a node of an application has.
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
