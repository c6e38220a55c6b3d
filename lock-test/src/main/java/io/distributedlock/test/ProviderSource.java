package io.distributedlock.test;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How the kit comes by the providers that it tests.
 *
 * @param factory what makes them
 * @param arguments what the factory is given
 * @param sharedBetweenJvms whether a second JVM sees the same backend
 * @param restart kills the server and starts it anew, {@code null} where there is none
 * @since 0.1
 */
public record ProviderSource(Class<? extends ProviderFactory> factory, List<String> arguments,
		boolean sharedBetweenJvms, @Nullable Runnable restart) {

	/**
	 * Describe providers on a server.
	 * @param factory what makes them
	 * @param restart kills the server and starts it anew on the same address
	 * @param arguments what the factory is given
	 * @return the source
	 */
	public static ProviderSource onServer(Class<? extends ProviderFactory> factory, Runnable restart,
			String... arguments) {
		return new ProviderSource(factory, List.of(arguments), true, restart);
	}

	/**
	 * Describe providers that live in this JVM.
	 * @param factory what makes them
	 * @param arguments what the factory is given
	 * @return the source
	 */
	public static ProviderSource inThisJvm(Class<? extends ProviderFactory> factory, String... arguments) {
		return new ProviderSource(factory, List.of(arguments), false, null);
	}

	/**
	 * Make a provider as a further node.
	 * @return a new provider and its client
	 */
	public ProviderFactory.Node create() {
		try {
			return this.factory.getConstructor().newInstance().create(this.arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(this.factory + " needs a public constructor without arguments", ex);
		}
	}

}
