package io.distributedlock.benchmarks.soak;

import java.util.List;
import java.util.Map;

/**
 * The local provider, which has no server.
 */
final class SoakNoServer implements SoakServer {

	@Override
	public List<String> arguments() {
		return List.of("local");
	}

	@Override
	public boolean kill() {
		return false;
	}

	@Override
	public void start() {
		// there is nothing to start
	}

	@Override
	public Map<String, Long> remains() {
		return Map.of();
	}

	@Override
	public void close() {
		// there is nothing to close
	}

}
