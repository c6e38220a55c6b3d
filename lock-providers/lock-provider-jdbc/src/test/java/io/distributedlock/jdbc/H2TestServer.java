package io.distributedlock.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

import io.distributedlock.test.server.ServerProcess;
import org.h2.tools.Server;

/**
 * H2 as a server of its own, with a file that remains after a restart.
 */
public final class H2TestServer extends ServerProcess {

	private H2TestServer() {
		super("h2");
	}

	public static H2TestServer run() {
		H2TestServer server = new H2TestServer();
		server.start();
		return server;
	}

	public String url() {
		return url(port());
	}

	/**
	 * Return the URL that leads through a proxy. A commit is written to the file
	 * immediately.
	 */
	public String url(int proxyPort) {
		return "jdbc:h2:tcp://127.0.0.1:%s/./locks;WRITE_DELAY=0".formatted(proxyPort);
	}

	@Override
	protected List<String> command() {
		String jar = Server.class.getProtectionDomain().getCodeSource().getLocation().getPath();
		return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
				"-XX:TieredStopAtLevel=1", "-cp", jar, Server.class.getName(), "-tcp", "-tcpPort",
				Integer.toString(port()), "-ifNotExists", "-baseDir", folder().toAbsolutePath().toString());
	}

	@Override
	protected boolean isReady() {
		try (Connection connection = DriverManager
			.getConnection(url().replace("/locks", "/ready") + ";NETWORK_TIMEOUT=2000", "sa", "")) {
			return connection.isValid(2);
		}
		catch (SQLException ex) {
			return false;
		}
	}

}
