package io.distributedlock.benchmarks.contention.server;

/**
 * No server, for locks in the JVM.
 */
final class NoServer implements Server {

	@Override
	public String url() {
		return "none";
	}

	@Override
	public void close() {
		// nothing was started
	}

}
