package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The faults, beyond a restart, that the kit can cause at the servers of a backend. All
 * are optional: a case that needs a missing one is skipped and says why.
 *
 * @param ports the ports of the servers on the loopback interface, in front of which the
 * kit puts proxies; empty if the servers cannot be reached through a proxy
 * @param argumentsThrough returns the arguments of the factory for the ports of the
 * proxies, which are in the order of {@code ports}
 * @param suspend stops the servers without ending them, as {@code kill -STOP} does;
 * {@code null} if they cannot be suspended
 * @param resume continues suspended servers
 * @param newSchema chooses a place without a schema and returns a task that creates the
 * schema there, as a node does at its start; {@code null} if the backend has no schema
 * @param endsWithConnection whether a lock ends on the server as soon as its holder's
 * connection is cut, before the holder can know. Then two holders may overlap after a
 * cut, so the kit checks only their fencing tokens
 * @param recovery how soon locks work again after an outage
 * @since 0.1
 */
public record ServerFaults(List<Integer> ports, Function<List<Integer>, List<String>> argumentsThrough,
		@Nullable Runnable suspend, @Nullable Runnable resume, @Nullable Supplier<Runnable> newSchema,
		boolean endsWithConnection, Duration recovery) {

	/**
	 * No faults. A provider that is down is asked each second; the rest of the recovery
	 * is for a new connection on a slow machine.
	 */
	public static final ServerFaults NONE = new ServerFaults(List.of(), (ports) -> List.of(), null, null, null, false,
			Duration.ofSeconds(2));

	ServerFaults throughPorts(List<Integer> ports, Function<List<Integer>, List<String>> arguments) {
		return new ServerFaults(List.copyOf(ports), arguments, this.suspend, this.resume, this.newSchema,
				this.endsWithConnection, this.recovery);
	}

	ServerFaults stalling(Runnable suspend, Runnable resume) {
		return new ServerFaults(this.ports, this.argumentsThrough, suspend, resume, this.newSchema,
				this.endsWithConnection, this.recovery);
	}

	ServerFaults creating(Supplier<Runnable> newSchema) {
		return new ServerFaults(this.ports, this.argumentsThrough, this.suspend, this.resume, newSchema,
				this.endsWithConnection, this.recovery);
	}

	ServerFaults endingWithConnection() {
		return new ServerFaults(this.ports, this.argumentsThrough, this.suspend, this.resume, this.newSchema, true,
				this.recovery);
	}

	ServerFaults recoveringWithin(Duration recovery) {
		return new ServerFaults(this.ports, this.argumentsThrough, this.suspend, this.resume, this.newSchema,
				this.endsWithConnection, recovery);
	}

}
