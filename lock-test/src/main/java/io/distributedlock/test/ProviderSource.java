package io.distributedlock.test;

import java.util.List;

import io.distributedlock.spi.LockProvider;

/**
 * How the kit comes by the providers that it tests.
 *
 * @param factory what makes them
 * @param arguments what the factory is given
 * @param sharedBetweenJvms whether a second JVM sees the same backend
 * @since 0.1
 */
public record ProviderSource(Class<? extends ProviderFactory> factory, List<String> arguments,
		boolean sharedBetweenJvms) {

	/**
	 * Make a provider as a further node.
	 * @return a new provider
	 */
	public LockProvider create() {
		try {
			return this.factory.getConstructor().newInstance().create(this.arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(this.factory + " needs a public constructor without arguments", ex);
		}
	}

}
