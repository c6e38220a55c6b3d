package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.test.patience.Patience;
import org.awaitility.core.TerminalFailureException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A real redis-server without persistence. The system property {@code lock.test.redis}
 * selects the program: {@code artifact}, the default, takes it from the embedded-redis
 * artifact; {@code distribution} from the package of Debian or Ubuntu; any other value is
 * the path of a program.
 *
 * @since 0.1
 */
public final class RedisTestServer extends ServerProcess {

	private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

	private static final Pattern VERSION = Pattern.compile("redis_version:(\\S+)");

	private static final int ATTEMPTS = 5;

	private final ServerBinary binary = RedisProgram.find();

	private final List<String> arguments;

	private final @Nullable String password;

	private RedisTestServer(@Nullable String password, List<String> arguments) {
		super("redis");
		this.password = password;
		this.arguments = arguments;
	}

	/**
	 * Start a server that lacks a command of Redis 5, as an older one does. A later
	 * version than 6.2 also tells scripts its version: the test is skipped there.
	 * @return the server, which is ready
	 */
	public static RedisTestServer runAsOld() {
		RedisTestServer server = run("--rename-command", "ZPOPMIN", "");
		if (server.command("EVAL", "return redis.REDIS_VERSION", "0") != null) {
			server.close();
			Assumptions.abort("this server tells scripts its version");
		}
		return server;
	}

	/**
	 * Start a server.
	 * @param arguments further arguments of redis-server, such as
	 * {@code "--maxmemory", "1mb"}
	 * @return the server, which is ready
	 */
	public static RedisTestServer run(String... arguments) {
		return started(null, List.of(arguments));
	}

	/**
	 * Start a server that writes to disk before it replies, so that a restart loses
	 * nothing.
	 * @return the server, which is ready
	 */
	public static RedisTestServer runDurable() {
		return run("--appendonly", "yes", "--appendfsync", "always");
	}

	/**
	 * Start a replica.
	 * @param primary the server to copy
	 * @return the replica, which has copied the primary and receives its changes
	 */
	public static RedisTestServer runReplicaOf(RedisTestServer primary) {
		RedisTestServer replica = run("--replicaof", "127.0.0.1", Integer.toString(primary.port()));
		Patience.await("replica")
			.until(() -> String.valueOf(primary.command("INFO", "replication")).contains("state=online"));
		return replica;
	}

	/**
	 * Start a server that asks for a password.
	 * @param password the password
	 * @param arguments further arguments of redis-server
	 * @return the server, which is ready
	 */
	public static RedisTestServer runWithPassword(String password, String... arguments) {
		List<String> all = new ArrayList<>(List.of("--requirepass", password));
		all.addAll(List.of(arguments));
		return started(password, all);
	}

	/**
	 * Start a server that also listens on a second port, with TLS.
	 * @param tlsPort a free port
	 * @param certificate the certificate of the server
	 * @return the server, which is ready
	 */
	public static RedisTestServer runWithTls(int tlsPort, TestCertificate certificate) {
		try (RedisTestServer plain = run()) {
			plain.requireVersion6();
		}
		String trusted = certificate.certificate().toString();
		return run("--tls-port", Integer.toString(tlsPort), "--tls-cert-file", trusted, "--tls-ca-cert-file", trusted,
				"--tls-key-file", certificate.key().toString(), "--tls-auth-clients", "no");
	}

	/**
	 * Start a server. Try again with another port if another process has taken the port
	 * meanwhile.
	 */
	private static RedisTestServer started(@Nullable String password, List<String> arguments) {
		for (int attempt = 1;; attempt++) {
			RedisTestServer server = new RedisTestServer(password, arguments);
			try {
				server.start();
				return server;
			}
			catch (TerminalFailureException ex) {
				if (attempt == ATTEMPTS) {
					// without a close, so that the log remains
					throw ex;
				}
				server.close();
			}
		}
	}

	/**
	 * Return the address for clients.
	 * @return a {@code redis://} address without credentials
	 */
	public String url() {
		return "redis://127.0.0.1:" + port();
	}

	/**
	 * Send a command over a connection of its own, without any client library.
	 * @param command the command and its arguments
	 * @return the reply: a string, a number, a list, or {@code null}
	 */
	public @Nullable Object command(String... command) {
		try (RespConnection connection = RespConnection.patient(port())) {
			return send(connection, command);
		}
		catch (IOException ex) {
			if (command[0].equals("ACL")) {
				requireVersion6();
			}
			throw new UncheckedIOException(ex);
		}
	}

	private @Nullable Object send(RespConnection connection, String... command) throws IOException {
		if (this.password != null) {
			connection.send("AUTH", this.password);
		}
		return connection.send(command);
	}

	/**
	 * Return what the server keeps.
	 * @param byDesign matches what is left out
	 * @return each key and the milliseconds until it expires, -1 if it does not
	 */
	public List<String> entriesWithout(String byDesign) {
		Object answer = command("EVAL", """
				local entries = redis.call('keys', '*')
				for i, key in ipairs(entries) do entries[i] = key .. ' ' .. redis.call('pttl', key) end
				return entries
				""", "0");
		return ((List<?>) Objects.requireNonNull(answer)).stream()
			.map(String::valueOf)
			.filter((entry) -> !entry.matches(byDesign))
			.toList();
	}

	/**
	 * Skip the test on Redis 5, which has no users, no TLS and no RESP3.
	 */
	public void requireVersion6() {
		Assumptions.assumeFalse(version().startsWith("5."), "Redis 5 has no users, no TLS and no RESP3");
	}

	/**
	 * Return how often each command was called, including calls by scripts.
	 * @return the number of calls by the lower-case name of the command
	 */
	public Map<String, Long> commandCalls() {
		Map<String, Long> calls = new TreeMap<>();
		Matcher matcher = CALLS.matcher(String.valueOf(command("INFO", "commandstats")));
		while (matcher.find()) {
			calls.put(matcher.group(1), Long.valueOf(matcher.group(2)));
		}
		return calls;
	}

	/**
	 * Return the server's version.
	 * @return such as {@code 7.0.15}
	 */
	public String version() {
		Matcher matcher = VERSION.matcher(String.valueOf(command("INFO", "server")));
		if (!matcher.find()) {
			throw new IllegalStateException("The reply to INFO has no redis_version");
		}
		return matcher.group(1);
	}

	@Override
	protected List<String> command() {
		List<String> command = new ArrayList<>(
				List.of(this.binary.path().toString(), "--port", Integer.toString(port()), "--bind", "127.0.0.1",
						"--save", "", "--appendonly", "no", "--dir", folder().toString(), "--daemonize", "no"));
		command.addAll(this.arguments);
		return command;
	}

	@Override
	protected Map<String, String> environment() {
		return this.binary.environment();
	}

	@Override
	protected boolean isReady() {
		// a server that is suspended accepts connections and says nothing
		try (RespConnection connection = new RespConnection(port())) {
			return "PONG".equals(send(connection, "PING"));
		}
		catch (IOException ex) {
			return false;
		}
	}

}
