package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

/**
 * A Redis Sentinel that watches one primary and promotes its replica within seconds after
 * the primary has gone.
 *
 * @since 0.1
 */
public final class RedisTestSentinel extends ServerProcess {

	/**
	 * The name of the watched primary.
	 */
	public static final String MASTER = "primary";

	private final ServerBinary binary = RedisProgram.find();

	private final int primaryPort;

	private RedisTestSentinel(int primaryPort) {
		super("sentinel");
		this.primaryPort = primaryPort;
	}

	/**
	 * Start a sentinel.
	 * @param primary the server to watch, which must have replicas already
	 * @return the sentinel, which has found the replicas
	 */
	public static RedisTestSentinel run(RedisTestServer primary) {
		RedisTestSentinel sentinel = new RedisTestSentinel(primary.port());
		try {
			Files.writeString(sentinel.folder().resolve("sentinel.conf"), """
					port %s
					bind 127.0.0.1
					sentinel monitor %s 127.0.0.1 %s 1
					sentinel down-after-milliseconds %s 1000
					sentinel failover-timeout %s 3000
					""".formatted(sentinel.port(), MASTER, primary.port(), MASTER, MASTER));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		sentinel.start();
		return sentinel;
	}

	/**
	 * Return whether this sentinel has found another one, as some clients demand.
	 * @return whether it has
	 */
	public boolean knowsAnother() {
		return command("SENTINEL", "SENTINELS", MASTER) instanceof List<?> others && !others.isEmpty();
	}

	/**
	 * Return the port of the server that is the primary now.
	 * @return its port on the loopback interface
	 */
	public int currentPrimaryPort() {
		if (command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER) instanceof List<?> address) {
			return Integer.parseInt(String.valueOf(address.get(1)));
		}
		return this.primaryPort;
	}

	@Override
	protected List<String> command() {
		return List.of(this.binary.path().toString(), folder().resolve("sentinel.conf").toString(), "--sentinel");
	}

	@Override
	protected Map<String, String> environment() {
		return this.binary.environment();
	}

	@Override
	protected boolean isReady() {
		try (RespConnection connection = new RespConnection(port())) {
			return connection.send("SENTINEL", "REPLICAS", MASTER) instanceof List<?> replicas && !replicas.isEmpty();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private Object command(String... command) {
		try (RespConnection connection = RespConnection.patient(port())) {
			Object answer = connection.send(command);
			return (answer != null) ? answer : List.of();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
