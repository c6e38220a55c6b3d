package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A real PostgreSQL, which a Maven artifact carries.
 */
final class PostgresTestServer implements AutoCloseable {

	private final Path folder;

	private EmbeddedPostgres postgres;

	private final int port;

	private PostgresTestServer() throws IOException {
		this.folder = Files.createTempDirectory("postgres");
		this.postgres = start(0);
		this.port = this.postgres.getPort();
	}

	static PostgresTestServer run() {
		try {
			return new PostgresTestServer();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String url() {
		return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(this.port);
	}

	void restart() {
		try {
			this.postgres.close();
			this.postgres = start(this.port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.postgres.close();
			Databases.delete(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private EmbeddedPostgres start(int onPort) throws IOException {
		return EmbeddedPostgres.builder()
			.setDataDirectory(this.folder)
			.setCleanDataDirectory(false)
			.setPort(onPort)
			.setServerConfig("max_connections", "300")
			.start();
	}

}
