package io.distributedlock.application;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.application.Crowd.Outcome;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import org.apache.curator.test.TestingServer;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * On databases and ZooKeeper old nodes and new ones know nothing of each other. A node
 * that holds both locks excludes both.
 */
class LayoutsApartTests {

	private static final Duration OFTEN = Duration.ofMillis(5);

	private static Server database;

	private static TestingServer zooKeeper;

	@TempDir
	private Path folder;

	@BeforeAll
	static void start() throws Exception {
		zooKeeper = new TestingServer();
		database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		try (HikariDataSource pool = Clients.pool(databaseUrl()); Connection connection = pool.getConnection()) {
			ScriptUtils.executeSqlScript(connection,
					new ClassPathResource("org/springframework/integration/jdbc/schema-h2.sql"));
			createTableOfShedLock(connection);
			JdbcLockSchema.create(pool, JdbcDialect.H2);
		}
	}

	@AfterAll
	static void stop() throws IOException {
		database.stop();
		zooKeeper.close();
	}

	@ParameterizedTest
	@CsvSource({ "int-lock, jdbc", "shedlock-table, jdbc", "curator, zookeeper" })
	void oldNodesAndNewOnesExcludeNothing(String oldKind, String newKind) throws IOException {
		Outcome outcome = work(oldKind, newKind);
		assertThat(outcome.lost()).as("%s", outcome).isPositive();
	}

	@ParameterizedTest
	@CsvSource({ "int-lock, int-lock-and-jdbc", "int-lock-and-jdbc, jdbc", "shedlock-table, shedlock-table-and-jdbc",
			"shedlock-table-and-jdbc, jdbc", "curator, curator-and-zookeeper", "curator-and-zookeeper, zookeeper" })
	void nodeWithBothLocksExcludesThoseBeforeAndAfter(String before, String after) throws IOException {
		Outcome outcome = work(before, after);
		assertThat(outcome.lost()).as("%s", outcome).isZero();
		assertThat(outcome.shares()).allSatisfy((share) -> assertThat(share.failures()).isZero());
	}

	private Outcome work(String before, String after) throws IOException {
		String url = before.startsWith("curator") ? zooKeeper.getConnectString() : databaseUrl();
		return new Crowd(url, "stock", OFTEN, this.folder).with(1, 3, before)
			.with(1, 3, after)
			.work(Duration.ofSeconds(3));
	}

	private static String databaseUrl() {
		return "jdbc:h2:tcp://localhost:" + database.getPort() + "/mem:locks;DB_CLOSE_DELAY=-1";
	}

	private static void createTableOfShedLock(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("create table shedlock (name varchar(64) primary key, lock_until timestamp not null,"
					+ " locked_at timestamp not null, locked_by varchar(255) not null)");
		}
	}

}
