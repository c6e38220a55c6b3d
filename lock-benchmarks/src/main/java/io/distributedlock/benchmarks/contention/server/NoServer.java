package io.distributedlock.benchmarks.contention.server;

import java.util.Map;

/**
 * No server, for locks in the JVM.
 */
final class NoServer implements Server {

	@Override
	public String url() {
		return "none";
	}

	@Override
	public void clear() {
		// nothing is left anywhere
	}

	@Override
	public Map<String, Long> counters() {
		return Map.of();
	}

	@Override
	public void close() {
		// nothing was started
	}

}
