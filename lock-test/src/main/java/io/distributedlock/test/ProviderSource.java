package io.distributedlock.test;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * How the kit comes by the providers that it tests.
 *
 * @param factory what makes them
 * @param arguments what the factory is given
 * @param sharedBetweenJvms whether a second JVM sees the same backend
 * @param restart kills the server and starts it anew, {@code null} where there is none
 * @param faults what else may be done to the servers
 * @since 0.1
 */
public record ProviderSource(Class<? extends ProviderFactory> factory, List<String> arguments,
		boolean sharedBetweenJvms, @Nullable Runnable restart, ServerFaults faults) {

	/**
	 * Describe providers whose servers can be restarted at most.
	 * @param factory what makes them
	 * @param arguments what the factory is given
	 * @param sharedBetweenJvms whether a second JVM sees the same backend
	 * @param restart kills the server and starts it anew, {@code null} where there is
	 * none
	 */
	public ProviderSource(Class<? extends ProviderFactory> factory, List<String> arguments, boolean sharedBetweenJvms,
			@Nullable Runnable restart) {
		this(factory, arguments, sharedBetweenJvms, restart, ServerFaults.NONE);
	}

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
	 * Let the kit put a proxy in front of the server, to cut connections, to delay and to
	 * lose messages.
	 * @param port the port of the server on the loopback interface
	 * @param arguments what the factory is given to reach the server through another port
	 * @return a source with proxies
	 */
	public ProviderSource throughProxy(int port, IntFunction<List<String>> arguments) {
		return throughProxies(List.of(port), (ports) -> arguments.apply(ports.get(0)));
	}

	/**
	 * Let the kit put a proxy in front of each of several servers.
	 * @param ports the ports of the servers on the loopback interface
	 * @param arguments what the factory is given to reach the servers through other
	 * ports, which come in the same order
	 * @return a source with proxies
	 */
	public ProviderSource throughProxies(List<Integer> ports, Function<List<Integer>, List<String>> arguments) {
		return withFaults(this.faults.throughPorts(ports, arguments));
	}

	/**
	 * Let the kit stop the servers for a while.
	 * @param suspend stops them without ending them, as {@code kill -STOP} does
	 * @param resume lets them go on
	 * @return a source with servers that stall
	 */
	public ProviderSource withStalls(Runnable suspend, Runnable resume) {
		return withFaults(this.faults.stalling(suspend, resume));
	}

	/**
	 * Let the kit create the schema from several nodes at once.
	 * @param newSchema names a place that has no schema yet and returns what creates it
	 * there, as a node does at its start. What is returned runs several times, at once
	 * @return a source with a schema
	 */
	public ProviderSource withSchema(Supplier<Runnable> newSchema) {
		return withFaults(this.faults.creating(newSchema));
	}

	/**
	 * Say that a lock ends on the server as soon as its holder's connection is cut,
	 * before the holder can know, as one does that is the lock of a row in a transaction.
	 * Where the kit cuts connections it then checks fencing tokens, and not that nobody
	 * else begins meanwhile. To be said in the provider's documentation as well.
	 * @return a source whose locks are bound to connections
	 */
	public ProviderSource whoseLocksEndWithTheirConnection() {
		return withFaults(this.faults.endingWithConnection());
	}

	/**
	 * Make a provider as a further node.
	 * @return a new provider and its client
	 */
	public ProviderFactory.Node create() {
		return create(this.arguments);
	}

	ProviderFactory.Node create(List<String> arguments) {
		try {
			return this.factory.getConstructor().newInstance().create(arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(this.factory + " needs a public constructor without arguments", ex);
		}
	}

	private ProviderSource withFaults(ServerFaults faults) {
		return new ProviderSource(this.factory, this.arguments, this.sharedBetweenJvms, this.restart, faults);
	}

}
