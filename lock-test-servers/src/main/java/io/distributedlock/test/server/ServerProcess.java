package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.Signals;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server in a process of its own, with a folder of its own. {@link #close()} ends the
 * process and deletes the folder. The process also ends when this JVM does.
 *
 * @since 0.1
 */
public abstract class ServerProcess implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

	/**
	 * A suspended server does not even complete a connection if too many wait for it
	 * already.
	 */
	private static final int ANSWER_MILLIS = 2000;

	/**
	 * The range is below the ports that systems give to outgoing connections: such a port
	 * might be taken before the server has started. A node of a Redis cluster listens on
	 * its port and on the port 10000 above it, which must be below them too.
	 */
	private static final int FIRST_PORT = 12_000;

	private static final int LAST_PORT = 22_000;

	private static final Set<Integer> TRIED = ConcurrentHashMap.newKeySet();

	/**
	 * The files whose locks reserve the ports of this JVM. The locks end with the JVM.
	 */
	private static final Collection<FileChannel> RESERVED = new ConcurrentLinkedQueue<>();

	private final String name;

	private final Path folder;

	private final int port;

	private final Thread shutdownHook = new Thread(this::kill, "end-server");

	private @Nullable Process process;

	/**
	 * Prepare a server on a free port.
	 * @param name the name of the server, for its folder
	 */
	protected ServerProcess(String name) {
		this.name = name;
		this.port = freePort();
		try {
			this.folder = Files.createTempDirectory(name);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(this.shutdownHook);
	}

	/**
	 * Return the command line that starts the server in the foreground.
	 * @return program and arguments
	 */
	protected abstract List<String> command();

	/**
	 * Return environment variables that the server has in addition to those of this JVM.
	 * @return the values by name, none by default
	 */
	protected Map<String, String> environment() {
		return Map.of();
	}

	/**
	 * Return whether the server answers. Must return within seconds, also if the server
	 * accepts connections and never says anything.
	 * @return {@code true} if it does
	 */
	protected abstract boolean isReady();

	/**
	 * Start the server and wait until it answers. If it does not answer within a minute,
	 * it is killed and the call fails.
	 */
	public final void start() {
		start(START_TIMEOUT);
	}

	final void start(Duration limit) {
		Path log = this.folder.resolve("server.log");
		try {
			ProcessBuilder builder = new ProcessBuilder(command()).directory(this.folder.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
			builder.environment().putAll(environment());
			this.process = builder.start();
		}
		catch (IOException ex) {
			// the program is not there, and the folder has nothing to tell
			close();
			throw new UncheckedIOException(ex);
		}
		try {
			Patience.await("start of %s, see %s".formatted(this.name, log))
				.atMost(limit)
				.pollInterval(Duration.ofMillis(20))
				.failFast("%s ended, see %s".formatted(this.name, log), () -> !isAlive())
				.until(this::isReady);
		}
		catch (ConditionTimeoutException ex) {
			kill();
			throw ex;
		}
	}

	/**
	 * Start servers at the same time, because none of them is ready before a majority
	 * runs.
	 * @param servers the servers, which belong together
	 */
	public static void startTogether(List<? extends ServerProcess> servers) {
		CompletableFuture
			.allOf(servers.stream()
				.map((server) -> CompletableFuture.runAsync(server::start,
						(start) -> new Thread(start, "start").start()))
				.toArray(CompletableFuture<?>[]::new))
			.orTimeout(START_TIMEOUT.toSeconds() * 2, TimeUnit.SECONDS)
			.join();
	}

	/**
	 * End the process and all processes that it has started immediately, as by
	 * {@code kill -9}. They may be suspended.
	 * @throws IllegalStateException if one of them is still there after half a minute
	 */
	public final void kill() {
		Process current = this.process;
		if (current != null) {
			Signals.killAll(current.toHandle());
			try {
				if (!current.waitFor(Patience.SECONDS, TimeUnit.SECONDS)) {
					throw new IllegalStateException("%s is still there after kill -KILL".formatted(this.name));
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Suspend the process, as by {@code kill -STOP}.
	 */
	public final void suspend() {
		Signals.sendToAll(requireProcess().toHandle(), "STOP");
	}

	/**
	 * Kill the server and start it again on the same port and with the same folder.
	 */
	public final void restart() {
		kill();
		start();
	}

	/**
	 * Continue a suspended process.
	 */
	public final void resume() {
		Signals.sendToAll(requireProcess().toHandle(), "CONT");
	}

	/**
	 * Return the port.
	 * @return the port on the loopback interface
	 */
	public final int port() {
		return this.port;
	}

	/**
	 * Return the process id.
	 * @return the pid
	 */
	public final long pid() {
		return requireProcess().pid();
	}

	/**
	 * Return the folder of this server.
	 * @return the folder, which {@link #close()} deletes
	 */
	protected final Path folder() {
		return this.folder;
	}

	/**
	 * Return whether the process runs.
	 * @return {@code true} if so
	 */
	public final boolean isAlive() {
		Process current = this.process;
		return current != null && current.isAlive();
	}

	@Override
	public void close() {
		kill();
		try {
			Runtime.getRuntime().removeShutdownHook(this.shutdownHook);
		}
		catch (IllegalStateException ex) {
			// the JVM is ending, and the hook runs by itself
		}
		try (Stream<Path> files = Files.walk(this.folder)) {
			for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Process requireProcess() {
		Process current = this.process;
		if (current == null) {
			throw new IllegalStateException("The server has not been started");
		}
		return current;
	}

	/**
	 * Connect to a server on this machine, to ask it something.
	 * @param port the port
	 * @return a connection, on which each read ends after two seconds
	 * @throws IOException if there is no connection within two seconds
	 */
	protected static Socket connect(int port) throws IOException {
		return connect(port, ANSWER_MILLIS);
	}

	/**
	 * Connect to a server on this machine, to ask it something.
	 * @param port the port
	 * @param answerMillis how long a read may take, zero for ever
	 * @return a connection
	 * @throws IOException if there is no connection within two seconds
	 */
	static Socket connect(int port, int answerMillis) throws IOException {
		Socket socket = new Socket();
		socket.setSoTimeout(answerMillis);
		try {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MILLIS);
			return socket;
		}
		catch (IOException ex) {
			socket.close();
			throw ex;
		}
	}

	/**
	 * Reserve a port for this JVM until it ends, as other JVMs run tests at the same
	 * time. Without that, another JVM could choose the port before its server listens on
	 * it.
	 */
	private static boolean reserve(int port) {
		if (!TRIED.add(port)) {
			// on some systems the lock of a file ends when this JVM opens and closes it
			// again
			return false;
		}
		try {
			// a folder for each user, who may not write into the folder of another one
			Path folder = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"),
					"lock-test-ports-" + System.getProperty("user.name")));
			FileChannel file = FileChannel.open(folder.resolve(Integer.toString(port)), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE);
			boolean reserved = file.tryLock() != null;
			if (reserved) {
				RESERVED.add(file);
			}
			else {
				file.close();
			}
			return reserved;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return a port on which no process listens.
	 * @return a free port on the loopback interface
	 */
	public static int freePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
			if (!reserve(port)) {
				continue;
			}
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (BindException ex) {
				// another process listens there: try the next one
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
