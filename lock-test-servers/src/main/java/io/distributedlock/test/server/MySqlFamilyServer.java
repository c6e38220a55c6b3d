package io.distributedlock.test.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

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
	static final String INIT_FILE = """
			CREATE DATABASE IF NOT EXISTS locks;
			CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY 'secret';
			GRANT ALL ON *.* TO 'app'@'%' WITH GRANT OPTION;
			""";

	MySqlFamilyServer(String name) {
		super(name);
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
