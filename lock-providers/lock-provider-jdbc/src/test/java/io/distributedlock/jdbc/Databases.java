package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.MySqlTestServer;

/**
 * Pools of connections, and providers on them.
 */
public final class Databases {

	private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

	private Databases() {
	}

	public static HikariDataSource pool(String url, String user, String password, int size) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername(user);
		pool.setPassword(password);
		pool.setMaximumPoolSize(size);
		pool.setMinimumIdle(0);
		// shorter than a test waits: the drivers of MySQL and MariaDB give up a silent
		// server after the time of the pool that was started last in the JVM
		pool.setConnectionTimeout(Patience.LIMIT.toMillis() / 3);
		if (url.startsWith("jdbc:postgresql:")) {
			// as the page of the provider says
			pool.addDataSourceProperty("loginTimeout", "5");
		}
		pool.setInitializationFailTimeout(-1);
		return pool;
	}

	static ProviderSource source(JdbcLockStrategy strategy, JdbcDialect dialect, Runnable restart, String url,
			String user, String password) {
		ProviderSource source = throughProxy(
				ProviderSource.onServer(Factory.class, restart, strategy.name(), dialect.name(), url, user, password))
			.whoseLocksWorkAgainWithin(Duration.ofSeconds(8));
		return switch (strategy) {
			case ROW, VERSION -> source.withEntries(() -> rows(dialect, url, user, password));
			// a server does not say which keys its sessions have locked
			case FOR_UPDATE, ADVISORY -> source.whoseLocksEndWithTheirConnection();
		};
	}

	/**
	 * List the rows of owners and places that have not expired. Others stay until they
	 * are swept.
	 */
	private static List<String> rows(JdbcDialect dialect, String url, String user, String password) {
		String rows = "SELECT lock_key FROM %s WHERE owner IS NOT NULL AND expires_at > " + sql(dialect).nowMillis();
		try (Connection connection = DriverManager.getConnection(url, user, password);
				Statement statement = connection.createStatement();
				ResultSet found = statement.executeQuery(rows.formatted("distributed_lock") + " UNION ALL "
						+ rows.formatted("distributed_lock_member"))) {
			List<String> keys = new ArrayList<>();
			while (found.next()) {
				keys.add(found.getString(1));
			}
			return keys;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Put a proxy of the kit between a database and its clients, by its port in the URL.
	 */
	static ProviderSource throughProxy(ProviderSource source) {
		String url = source.arguments().get(2);
		Matcher address = ADDRESS.matcher(url);
		if (!address.find()) {
			throw new IllegalArgumentException("There is no port in " + url);
		}
		return source.throughProxy(Integer.parseInt(address.group(1)), (port) -> {
			List<String> arguments = new ArrayList<>(source.arguments());
			arguments.set(2, address.replaceFirst("127.0.0.1:" + port));
			return arguments;
		});
	}

	/**
	 * Return what creates the schema in a database without one, as a node does when it
	 * starts.
	 */
	static Runnable creation(JdbcDialect dialect, String url, String user, String password) {
		return () -> createSchema(dialect, url, user, password);
	}

	public static void createSchema(JdbcDialect dialect, String url, String user, String password) {
		try (HikariDataSource pool = pool(url, user, password, 1)) {
			JdbcLockSchema.create(pool, dialect);
		}
	}

	/**
	 * Start a server of MySQL's family, with the tables of locks.
	 */
	public static MySqlFamilyServer run(JdbcDialect dialect) {
		MySqlFamilyServer server = (dialect == JdbcDialect.MYSQL) ? MySqlTestServer.run() : MariaDbTestServer.run();
		createSchema(dialect, server.url(), "app", "secret");
		return server;
	}

	/**
	 * Create a database on a server.
	 * @return its URL
	 */
	public static String emptyDatabase(MySqlFamilyServer server, String name) {
		try (Connection connection = DriverManager.getConnection(server.url(), "app", "secret");
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return server.url().replace("/locks", "/" + name);
	}

	static void delete(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The settings of a provider whose command time-out is not what is tested: a busy
	 * machine may keep a statement waiting for seconds.
	 */
	public static JdbcLockSettings settings(JdbcDialect dialect) {
		return JdbcLockSettings.of(dialect).withCommandTimeout(Patience.LIMIT);
	}

	public static JdbcCalls calls(DataSource database, JdbcLockSettings settings) {
		return JdbcLocks.calls(database, settings);
	}

	public static SqlDialect sql(JdbcDialect dialect) {
		return dialect.sql();
	}

	public static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

	/**
	 * Each provider has a pool of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			HikariDataSource pool = pool(arguments.get(2), arguments.get(3), arguments.get(4), 30);
			// as that of the starter: shorter, since the pool knows why it has no
			// connection
			pool.setConnectionTimeout(commandTimeout.toMillis() * 4 / 5);
			JdbcLockSettings settings = settings(JdbcDialect.valueOf(arguments.get(1)))
				.withStrategy(JdbcLockStrategy.valueOf(arguments.get(0)))
				.withCommandTimeout(commandTimeout)
				.withMaxLockConnections(24);
			return new Node(JdbcLocks.provider(pool, settings), pool);
		}

	}

}
