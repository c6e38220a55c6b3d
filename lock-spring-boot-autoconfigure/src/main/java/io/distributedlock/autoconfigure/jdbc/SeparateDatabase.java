package io.distributedlock.autoconfigure.jdbc;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What a database for locks alone needs on the class path: a pool and a driver. The
 * starter brings neither, since most applications have both.
 */
final class SeparateDatabase {

	private static final Map<String, String> DRIVERS = Map.of("h2", "com.h2database:h2", "postgresql",
			"org.postgresql:postgresql", "mysql", "com.mysql:mysql-connector-j", "mariadb",
			"org.mariadb.jdbc:mariadb-java-client");

	private SeparateDatabase() {
	}

	/**
	 * Require the pool and the driver.
	 * @param url the value of {@code lock.jdbc.url}, which is not shown, since it may
	 * contain a password
	 * @param classLoader the class loader of the application
	 */
	static void requireAvailable(String url, @Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", classLoader)) {
			throw new InvalidLockSetupException(
					"lock.jdbc.url is set, but the connection pool HikariCP is not on the class path.",
					"Add the dependency com.zaxxer:HikariCP; or remove lock.jdbc.url, to use the DataSource of the application.",
					null);
		}
		if (!url.startsWith("jdbc:")) {
			throw new InvalidLockSetupException("lock.jdbc.url is not a JDBC URL: it does not begin with 'jdbc:'.",
					"Write a URL such as jdbc:postgresql://host:5432/database.", null);
		}
		try {
			DriverManager.getDriver(url);
		}
		catch (SQLException ex) {
			throw noDriver(url.split(":", 3)[1], ex);
		}
	}

	private static InvalidLockSetupException noDriver(String database, SQLException cause) {
		String driver = DRIVERS.get(database);
		return new InvalidLockSetupException(
				"No JDBC driver on the class path accepts lock.jdbc.url, which begins with 'jdbc:%s:'."
					.formatted(database),
				(driver != null) ? "Add the dependency %s, or correct the URL.".formatted(driver)
						: "Add the driver of this database, or correct the URL. Locks are kept by %s."
							.formatted(DRIVERS.keySet().stream().sorted().toList()),
				cause);
	}

}
