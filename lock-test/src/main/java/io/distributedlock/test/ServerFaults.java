package io.distributedlock.test;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * What the kit may do to the servers of a backend beyond a restart. All of it is
 * optional: a case is skipped, and says so, where it needs what is not there.
 *
 * @param ports where the servers listen on the loopback interface, so that proxies can
 * stand in front of them; none where there is no way through a proxy
 * @param argumentsThrough what the factory is given to reach the servers through other
 * ports, which come in the order of {@code ports}
 * @param suspend stops the servers without ending them, as {@code kill -STOP} does;
 * {@code null} where they cannot be stopped
 * @param resume lets stopped servers go on
 * @param newSchema names a place that has no schema yet and returns what creates it
 * there, as a node does at its start; {@code null} where the backend has no schema
 * @param endsWithConnection whether a lock ends on the server as soon as its holder's
 * connection is cut, before the holder can know: then fencing tokens are checked where
 * connections are cut, and not that nobody else begins meanwhile
 * @since 0.1
 */
public record ServerFaults(List<Integer> ports, Function<List<Integer>, List<String>> argumentsThrough,
		@Nullable Runnable suspend, @Nullable Runnable resume, @Nullable Supplier<Runnable> newSchema,
		boolean endsWithConnection) {

	/**
	 * Nothing can be done to the servers, or there are none.
	 */
	public static final ServerFaults NONE = new ServerFaults(List.of(), (ports) -> List.of(), null, null, null, false);

	ServerFaults throughPorts(List<Integer> ports, Function<List<Integer>, List<String>> arguments) {
		return new ServerFaults(List.copyOf(ports), arguments, this.suspend, this.resume, this.newSchema,
				this.endsWithConnection);
	}

	ServerFaults stalling(Runnable suspend, Runnable resume) {
		return new ServerFaults(this.ports, this.argumentsThrough, suspend, resume, this.newSchema,
				this.endsWithConnection);
	}

	ServerFaults creating(Supplier<Runnable> newSchema) {
		return new ServerFaults(this.ports, this.argumentsThrough, this.suspend, this.resume, newSchema,
				this.endsWithConnection);
	}

	ServerFaults endingWithConnection() {
		return new ServerFaults(this.ports, this.argumentsThrough, this.suspend, this.resume, this.newSchema, true);
	}

}
