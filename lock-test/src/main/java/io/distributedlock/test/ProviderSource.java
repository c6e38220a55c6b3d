package io.distributedlock.test;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;

/**
 * How the kit creates the providers that it tests, and which faults it can cause at their
 * servers.
 *
 * @param factory creates the providers
 * @param arguments the arguments of the factory
 * @param sharedBetweenJvms whether a second JVM sees the same backend
 * @param restart kills the server and starts it again on the same address; {@code null}
 * if there is no server
 * @param faults further faults
 * @param entries lists what the server keeps for locks, by names that contain their keys;
 * empty if nobody can say that
 * @since 0.1
 */
public record ProviderSource(Class<? extends ProviderFactory> factory, List<String> arguments,
		boolean sharedBetweenJvms, @Nullable Runnable restart, ServerFaults faults,
		Supplier<? extends Collection<String>> entries) {

	/**
	 * Describe providers without faults other than a restart.
	 * @param factory creates the providers
	 * @param arguments the arguments of the factory
	 * @param sharedBetweenJvms whether a second JVM sees the same backend
	 * @param restart kills the server and starts it again on the same address;
	 * {@code null} if there is no server
	 */
	public ProviderSource(Class<? extends ProviderFactory> factory, List<String> arguments, boolean sharedBetweenJvms,
			@Nullable Runnable restart) {
		this(factory, arguments, sharedBetweenJvms, restart, ServerFaults.NONE, List::of);
	}

	/**
	 * Describe providers on a server.
	 * @param factory creates the providers
	 * @param restart kills the server and starts it again on the same address
	 * @param arguments the arguments of the factory
	 * @return the source
	 */
	public static ProviderSource onServer(Class<? extends ProviderFactory> factory, Runnable restart,
			String... arguments) {
		return new ProviderSource(factory, List.of(arguments), true, restart);
	}

	/**
	 * Describe providers whose locks are known in this JVM only.
	 * @param factory creates the providers
	 * @param arguments the arguments of the factory
	 * @return the source
	 */
	public static ProviderSource inThisJvm(Class<? extends ProviderFactory> factory, String... arguments) {
		return new ProviderSource(factory, List.of(arguments), false, null);
	}

	/**
	 * Let the kit put a proxy in front of the server. The proxy cuts connections, delays
	 * messages and loses them.
	 * @param port the port of the server on the loopback interface
	 * @param arguments returns the arguments of the factory for the port of the proxy
	 * @return a source with proxies
	 */
	public ProviderSource throughProxy(int port, IntFunction<List<String>> arguments) {
		return throughProxies(List.of(port), (ports) -> arguments.apply(ports.get(0)));
	}

	/**
	 * Let the kit put a proxy in front of each of several servers.
	 * @param ports the ports of the servers on the loopback interface
	 * @param arguments returns the arguments of the factory for the ports of the proxies,
	 * which are in the same order
	 * @return a source with proxies
	 */
	public ProviderSource throughProxies(List<Integer> ports, Function<List<Integer>, List<String>> arguments) {
		return withFaults(this.faults.throughPorts(ports, arguments));
	}

	/**
	 * Let the kit suspend the servers for a while.
	 * @param suspend stops them without ending them, as {@code kill -STOP} does
	 * @param resume continues them
	 * @return a source whose servers can stall
	 */
	public ProviderSource withStalls(Runnable suspend, Runnable resume) {
		return withFaults(this.faults.stalling(suspend, resume));
	}

	/**
	 * Let the kit create the schema from several nodes at the same time.
	 * @param newSchema chooses a place without a schema and returns a task that creates
	 * the schema there, as a node does at its start. Several threads run the task at the
	 * same time
	 * @return a source with a schema
	 */
	public ProviderSource withSchema(Supplier<Runnable> newSchema) {
		return withFaults(this.faults.creating(newSchema));
	}

	/**
	 * Declare that a lock ends on the server as soon as its holder's connection is cut,
	 * before the holder can know. An example is a row lock of an open transaction. Two
	 * holders may then overlap after a cut, so the kit checks only their fencing tokens.
	 * Also say so in the documentation of the provider.
	 * @return a source whose locks are bound to connections
	 */
	public ProviderSource whoseLocksEndWithTheirConnection() {
		return withFaults(this.faults.endingWithConnection());
	}

	/**
	 * Declare that locks work again only later than two seconds after an outage, since
	 * the client waits before it connects. Also say so in the documentation of the
	 * provider.
	 * @param time how soon they work again
	 * @return a source whose clients recover later
	 */
	public ProviderSource whoseLocksWorkAgainWithin(Duration time) {
		return withFaults(this.faults.recoveringWithin(time));
	}

	/**
	 * Let the kit check after each case that nothing of its calls is left on the server.
	 * @param entries lists what the server keeps for locks, by names that contain their
	 * keys. It leaves out what stays by design
	 * @return a source whose entries can be counted
	 */
	public ProviderSource withEntries(Supplier<? extends Collection<String>> entries) {
		return new ProviderSource(this.factory, this.arguments, this.sharedBetweenJvms, this.restart, this.faults,
				entries);
	}

	/**
	 * Create a provider, as one more node. It waits for an answer as long as a busy
	 * machine may need.
	 * @return a new provider and its client
	 */
	public ProviderFactory.Node create() {
		return create(this.arguments, Patience.LIMIT);
	}

	/**
	 * Create a provider whose client is connected: the first call of a JVM may take
	 * longer than a command time-out on a busy machine, and no case is about that.
	 */
	ProviderFactory.Node createConnected(Duration commandTimeout) {
		ProviderFactory.Node node = create(this.arguments, commandTimeout);
		Patience.await("answer of the backend").until(() -> isConnected(node.provider()));
		return node;
	}

	/**
	 * Return whether a provider has answered. One that cannot be asked is not waited for.
	 */
	private static boolean isConnected(LockProvider provider) {
		try {
			KitNodes.get(provider.ping());
			return true;
		}
		catch (CompletionException ex) {
			return !(ex.getCause() instanceof BackendException failure && failure.isRetryable());
		}
	}

	ProviderFactory.Node create(List<String> arguments, Duration commandTimeout) {
		try {
			return this.factory.getConstructor().newInstance().create(arguments, commandTimeout);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(
					this.factory + " must be public and have a public constructor without arguments", ex);
		}
	}

	private ProviderSource withFaults(ServerFaults faults) {
		return new ProviderSource(this.factory, this.arguments, this.sharedBetweenJvms, this.restart, faults,
				this.entries);
	}

}
