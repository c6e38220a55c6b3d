package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.stream.Stream;

/**
 * A server that speaks the protocol of MySQL, with an empty database {@code locks} and
 * the user {@code app}, who has the password {@code secret} and all rights. The driver of
 * the server must be on the class path.
 *
 * @since 0.1
 */
public abstract class MySqlFamilyServer extends ServerProcess {

	/**
	 * The statements that a server runs at each start.
	 */
	private static final String INIT_FILE = """
			CREATE DATABASE IF NOT EXISTS locks;
			CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY 'secret';
			GRANT ALL ON *.* TO 'app'@'%' WITH GRANT OPTION;
			""";

	MySqlFamilyServer(String name) {
		super(name);
	}

	/**
	 * Write the files of the server into its folder.
	 * @param data the data folder, which is made once for each build, as that takes
	 * seconds, and then copied
	 */
	final void prepare(Path data) {
		try (Stream<Path> files = Files.walk(data)) {
			Files.writeString(folder().resolve("init.sql"), INIT_FILE);
			for (Path file : files.toList()) {
				Files.copy(file, folder().resolve("data").resolve(data.relativize(file)));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the address for clients.
	 * @return the URL of the database
	 */
	public abstract String url();

	/**
	 * Return the address for clients with an option of the driver.
	 * @param option such as {@code useAffectedRows=true}
	 * @return the URL of the database
	 */
	public final String url(String option) {
		String url = url();
		return url + (url.contains("?") ? "&" : "?") + option;
	}

	@Override
	protected final boolean isReady() {
		try (Connection connection = DriverManager.getConnection(url("connectTimeout=2000&socketTimeout=2000"), "app",
				"secret")) {
			return connection.isValid(2);
		}
		catch (SQLException ex) {
			return false;
		}
	}

}
