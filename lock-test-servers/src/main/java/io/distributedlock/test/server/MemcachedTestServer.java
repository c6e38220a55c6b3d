package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import io.distributedlock.test.patience.Patience;

/**
 * A real memcached: the program that the system property {@code lock.test.memcached}
 * names, or else the one on the {@code PATH}, or else from the distribution's package.
 *
 * @since 0.1
 */
public final class MemcachedTestServer extends ServerProcess {

	private static final List<Supplier<Optional<ServerBinary>>> SOURCES = List.of(
			() -> ServerBinary.fromProperty("lock.test.memcached"), () -> ServerBinary.onPath("memcached"),
			() -> ServerBinary.fromDebianPackage("memcached", "usr/bin/memcached"));

	private final ServerBinary binary;

	private final List<String> arguments;

	private MemcachedTestServer(ServerBinary binary, List<String> arguments) {
		super("memcached");
		this.binary = binary;
		this.arguments = arguments;
	}

	/**
	 * Return whether this machine has the program.
	 * @return {@code true} if a server can be started
	 */
	public static boolean isAvailable() {
		return SOURCES.stream().anyMatch((source) -> source.get().isPresent());
	}

	/**
	 * Start a server. Without a program the test is skipped, see {@link ServerBinary}.
	 * @param arguments further arguments of memcached
	 * @return the server, which is ready
	 */
	public static MemcachedTestServer run(String... arguments) {
		ServerBinary binary = ServerBinary.require("memcached", SOURCES);
		MemcachedTestServer server = new MemcachedTestServer(binary, List.of(arguments));
		server.start();
		return server;
	}

	/**
	 * Send a command over a connection of its own, without any client library.
	 * @param command the command without its line end
	 * @return the first part of the reply
	 */
	public String command(String command) {
		try (Socket socket = connect(port(), (int) Patience.LIMIT.toMillis())) {
			return ask(socket, command);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String ask(Socket socket, String command) throws IOException {
		socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
		byte[] answer = new byte[16 * 1024];
		int length = socket.getInputStream().read(answer);
		return (length > 0) ? new String(answer, 0, length, StandardCharsets.UTF_8) : "";
	}

	@Override
	protected List<String> command() {
		List<String> command = new ArrayList<>(List.of(this.binary.path().toString(), "-l", "127.0.0.1", "-p",
				Integer.toString(port()), "-U", "0", "-m", "64"));
		if ("root".equals(System.getProperty("user.name"))) {
			command.addAll(List.of("-u", "root"));
		}
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
		try (Socket socket = connect(port())) {
			// a server with users also refuses this command without a login
			return ask(socket, "version").matches("(?s)(VERSION|CLIENT_ERROR unauth).*");
		}
		catch (IOException ex) {
			return false;
		}
	}

}
