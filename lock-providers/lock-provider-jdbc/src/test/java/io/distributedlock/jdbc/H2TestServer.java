package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

import org.h2.tools.Server;

/**
 * H2 as a server, so that several JVMs share it, with a file that outlives a restart.
 */
final class H2TestServer implements AutoCloseable {

	private final Path folder;

	private Server server;

	private final int port;

	private H2TestServer() throws IOException, SQLException {
		this.folder = Files.createTempDirectory("h2");
		this.server = start("0");
		this.port = this.server.getPort();
	}

	static H2TestServer run() {
		try {
			return new H2TestServer();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	String url() {
		return "jdbc:h2:tcp://127.0.0.1:%d/./locks".formatted(this.port);
	}

	void restart() {
		this.server.stop();
		try {
			this.server = start(Integer.toString(this.port));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.server.stop();
		Databases.delete(this.folder);
	}

	private Server start(String onPort) throws SQLException {
		return Server
			.createTcpServer("-tcpPort", onPort, "-ifNotExists", "-baseDir", this.folder.toAbsolutePath().toString())
			.start();
	}

}
