package io.distributedlock.zookeeper;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.distributedlock.test.server.ServerProcess;

/**
 * A real ZooKeeper in a process of its own, which tests stop, kill and cut off. Its
 * version is that of the client, unless the system property {@code lock.test.zookeeper}
 * gives the class path of another one.
 */
final class ZooKeeperTestServer extends ServerProcess {

	private static final String PROPERTY = "lock.test.zookeeper";

	private final int quorumPort = freePort();

	private final int electionPort = freePort();

	private int number;

	private List<String> members = List.of();

	private int syncTicks = 60;

	private ZooKeeperTestServer() {
		super("zookeeper");
	}

	/**
	 * Start a server.
	 */
	static ZooKeeperTestServer run() {
		ZooKeeperTestServer server = prepare();
		server.start();
		return server;
	}

	/**
	 * Prepare a server that is not started.
	 */
	static ZooKeeperTestServer prepare() {
		return new ZooKeeperTestServer();
	}

	/**
	 * Make the server one of several.
	 * @param number its number
	 * @param members the lines of the configuration with the addresses at which this
	 * server reaches all of them
	 * @param syncTicks after how many ticks without a word a follower and its leader
	 * leave each other
	 */
	void join(int number, List<String> members, int syncTicks) {
		this.number = number;
		this.members = members;
		this.syncTicks = syncTicks;
	}

	String address() {
		return "127.0.0.1:" + port();
	}

	int quorumPort() {
		return this.quorumPort;
	}

	int electionPort() {
		return this.electionPort;
	}

	boolean isLeader() {
		return ask("srvr").contains("Mode: leader");
	}

	/**
	 * Send one of ZooKeeper's commands of four letters.
	 */
	String ask(String command) {
		try (Socket socket = connect(port())) {
			socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	protected List<String> command() {
		return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
				"-XX:TieredStopAtLevel=1", "-Dzookeeper.admin.enableServer=false", "-cp", classPath(),
				"org.apache.zookeeper.server.quorum.QuorumPeerMain", configuration().toString());
	}

	@Override
	protected boolean isReady() {
		try {
			return ask("srvr").contains("Mode: ");
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	/**
	 * The version that comes first on the class path is used.
	 */
	private static String classPath() {
		String own = System.getProperty("java.class.path");
		String other = System.getProperty(PROPERTY);
		return (other != null) ? other + File.pathSeparator + own : own;
	}

	private Path configuration() {
		Path data = folder().resolve("data");
		String settings = """
				tickTime=%s
				initLimit=100
				syncLimit=%s
				dataDir=%s
				clientPort=%s
				clientPortAddress=127.0.0.1
				4lw.commands.whitelist=*
				%s
				""".formatted(Servers.TICK_MILLIS, this.syncTicks, data, port(), String.join("\n", this.members));
		try {
			Files.createDirectories(data);
			Files.writeString(data.resolve("myid"), Integer.toString(this.number));
			return Files.writeString(folder().resolve("zoo.cfg"), settings);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
