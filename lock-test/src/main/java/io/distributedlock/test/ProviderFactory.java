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
	 * {@link LockProvider#close()} closes the client too.
	 * @param arguments what says where the backend is
	 * @return a new provider
	 */
	LockProvider create(List<String> arguments);

}
