package io.distributedlock.benchmarks.contention.server;

import java.util.EnumMap;
import java.util.Map;

import io.distributedlock.benchmarks.contention.contender.Backend;

/**
 * The servers of a run. Each is started when the first contender needs it.
 */
public final class Servers implements AutoCloseable {

	private final Map<Backend, Server> running = new EnumMap<>(Backend.class);

	public Server of(Backend backend) {
		return this.running.computeIfAbsent(backend, Server::start);
	}

	@Override
	public void close() {
		this.running.values().forEach(Server::close);
	}

}
