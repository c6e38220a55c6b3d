package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many statements locks cost: on a database each one is a round trip.
 */
class StatementsTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	/**
	 * Longer than any test waits.
	 */
	private static final Duration LOOK = Duration.ofSeconds(75);

	private static PostgresTestServer postgres;

	private static MariaDbTestServer mariaDb;

	@RegisterExtension
	private static final MySqlOnDemand mySql = new MySqlOnDemand();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final LeaseRequest request = new LeaseRequest("k" + UUID.randomUUID(), LEASE, LockType.EXCLUSIVE, 1,
			System.nanoTime() + Session.NEVER_NANOS, 1, LOOK);

	@BeforeAll
	static void startServers() {
		postgres = PostgresTestServer.run();
		Databases.createSchema(JdbcDialect.POSTGRESQL, postgres.url(), "postgres", "");
		mariaDb = MariaDbTestServer.run();
		Databases.createSchema(JdbcDialect.MARIADB, mariaDb.url(), "app", "secret");
		Databases.createSchema(JdbcDialect.H2, "jdbc:h2:mem:statements;DB_CLOSE_DELAY=-1", "sa", "");
	}

	@AfterAll
	static void stopServers() {
		if (postgres != null) {
			postgres.close();
		}
		if (mariaDb != null) {
			mariaDb.close();
		}
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void freeKeyCostsOneStatementAndItsReleaseAnother(JdbcDialect dialect) {
		LostStatements statements = new LostStatements(pool(dialect));
		LockProvider provider = provider(statements, dialect);
		get(acquire(provider).release());
		statements.executed();
		Lease lease = acquire(provider);
		assertThat(statements.executed()).hasSize(1);
		assertThat(get(lease.release())).isTrue();
		assertThat(statements.executed()).hasSize(1);
		lease = get(((LockQueue) provider).enqueue(this.request).granted());
		assertThat(statements.executed()).hasSize(1);
		assertThat(get(lease.release())).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void placeThatWaitsWritesNothing(JdbcDialect dialect) {
		LockProvider holder = provider(new LostStatements(pool(dialect)), dialect);
		LostStatements statements = new LostStatements(pool(dialect));
		LockProvider waiter = provider(statements, dialect);
		Lease held = acquire(holder);
		LockQueue.Place place = ((LockQueue) waiter).enqueue(this.request);
		Patience.await().until(place::isBehindOthers);
		boolean told = dialect == JdbcDialect.POSTGRESQL;
		List<String> waiting = new ArrayList<>();
		// on PostgreSQL, the question of a place that has begun to listen
		Patience.await().until(() -> {
			waiting.addAll(statements.executed());
			return waiting.size() >= (told ? 2 : 20);
		});
		assertThat(waiting.stream().filter((sql) -> sql.contains("INSERT INTO"))).hasSize(1);
		if (!told) {
			assertThat(waiting.subList(4, waiting.size())).noneMatch((sql) -> sql.contains("UPDATE"));
		}
		assertThat(get(held.release())).isTrue();
		assertThat(get(get(place.granted()).release())).isTrue();
	}

	private Lease acquire(LockProvider provider) {
		return Objects.requireNonNull(get(provider.tryAcquire(this.request)));
	}

	private LockProvider provider(LostStatements database, JdbcDialect dialect) {
		return open(JdbcLocks.provider(database.dataSource(), Databases.settings(dialect)));
	}

	private HikariDataSource pool(JdbcDialect dialect) {
		return open(switch (dialect) {
			case POSTGRESQL -> Databases.pool(postgres.url(), "postgres", "", 10);
			case MYSQL -> Databases.pool(mySql.get().url(), "app", "secret", 10);
			case MARIADB -> Databases.pool(mariaDb.url(), "app", "secret", 10);
			default -> Databases.pool("jdbc:h2:mem:statements;DB_CLOSE_DELAY=-1", "sa", "", 10);
		});
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
