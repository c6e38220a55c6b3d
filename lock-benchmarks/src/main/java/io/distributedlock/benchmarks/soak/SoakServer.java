package io.distributedlock.benchmarks.soak;

import java.util.List;
import java.util.Map;

/**
 * The server of a run, which is the backend of its locks.
 */
interface SoakServer extends AutoCloseable {

	/**
	 * The beginning of the names of numbers that may be higher at the end. These are the
	 * counters of fencing tokens, which outlive their locks as the documentation says.
	 */
	String COUNTERS = "counters of ";

	/**
	 * Return how the nodes create their providers.
	 * @return the arguments of {@link SoakProviders}
	 */
	List<String> arguments();

	/**
	 * End the server immediately, like {@code kill -9}.
	 * @return whether there is a server
	 */
	boolean kill();

	/**
	 * Start the server again, with the data that it has written.
	 */
	void start();

	/**
	 * Return what the backend holds, such as keys, channels and connections.
	 * @return numbers by name, which must be as at the beginning when the run ends,
	 * except for {@link #COUNTERS}
	 */
	Map<String, Long> remains();

	@Override
	void close();

	/**
	 * Start the backend of a run.
	 * @param name the name of the provider, as given on the command line
	 * @return the running server
	 */
	static SoakServer run(String name) {
		return switch (name) {
			case "local" -> new SoakNoServer();
			case "redis", "redisson" -> new SoakRedis(name);
			case "jdbc", "jdbc-version", "jdbc-for-update" -> new SoakPostgres(name);
			default -> throw new IllegalArgumentException(
					"The soak has no provider '%s'. Use local, redis, redisson, jdbc, jdbc-version or jdbc-for-update"
						.formatted(name));
		};
	}

}
