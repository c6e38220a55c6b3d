package io.distributedlock.benchmarks.soak;

import java.util.List;
import java.util.Map;

/**
 * The backend of a run.
 */
interface SoakServer extends AutoCloseable {

	/**
	 * How the names of numbers begin that may be higher at the end: the documentation
	 * says for how long they stay.
	 */
	String COUNTERS = "counters of ";

	/**
	 * Return what the nodes' providers are made from.
	 * @return the arguments of {@link SoakProviders}
	 */
	List<String> arguments();

	/**
	 * End the server at once, as by {@code kill -9}.
	 * @return whether there is a server that has ended
	 */
	boolean kill();

	/**
	 * Start the server anew, with what it has written.
	 */
	void start();

	/**
	 * Return what the backend holds, such as keys, channels and connections.
	 * @return numbers by name, which come back to what they were, but for
	 * {@link #COUNTERS}
	 */
	Map<String, Long> remains();

	@Override
	void close();

	/**
	 * Start the backend of a run.
	 * @param name what the command was given
	 * @return the server, which answers
	 */
	static SoakServer run(String name) {
		return switch (name) {
			case "local" -> new SoakNoServer();
			case "redis", "redisson" -> new SoakRedis(name);
			case "jdbc", "jdbc-version", "jdbc-for-update" -> new SoakPostgres(name);
			default -> throw new IllegalArgumentException(
					"There is no soak of '%s': local, redis, redisson, jdbc, jdbc-version or jdbc-for-update"
						.formatted(name));
		};
	}

}
