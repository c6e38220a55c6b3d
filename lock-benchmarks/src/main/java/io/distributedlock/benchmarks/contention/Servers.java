package io.distributedlock.benchmarks.contention;

import java.util.EnumMap;
import java.util.Map;

/**
 * The servers of a run. Each is started when the first contender needs it.
 */
final class Servers implements AutoCloseable {

	private final Map<Backend, Server> running = new EnumMap<>(Backend.class);

	Server of(Backend backend) {
		return this.running.computeIfAbsent(backend, Server::start);
	}

	@Override
	public void close() {
		this.running.values().forEach(Server::close);
	}

}
