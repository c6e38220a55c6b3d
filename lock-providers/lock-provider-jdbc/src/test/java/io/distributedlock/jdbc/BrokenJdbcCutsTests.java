package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("all")
class BrokenJdbcCutsTests {

	@Test
	void exclusionHoldsOnH2() throws Exception {
		try (H2TestServer server = H2TestServer.run()) {
			run(JdbcDialect.H2, JdbcLockStrategy.ROW, server.port(),
					(port) -> server.url().replace(":" + server.port(), ":" + port), "sa", "");
		}
	}

	@Test
	void exclusionHoldsOnMariaDb() throws Exception {
		try (MariaDbTestServer server = MariaDbTestServer.run()) {
			run(JdbcDialect.MARIADB, JdbcLockStrategy.ROW, server.port(),
					(port) -> server.url().replace(":" + server.port(), ":" + port), "app", "secret");
		}
	}

	@Test
	void exclusionHoldsOnPostgresByVersion() throws Exception {
		try (PostgresTestServer server = PostgresTestServer.run()) {
			run(JdbcDialect.POSTGRESQL, JdbcLockStrategy.VERSION, server.port(),
					(port) -> server.url().replace(":" + server.port(), ":" + port), "postgres", "");
		}
	}

	private static void run(JdbcDialect dialect, JdbcLockStrategy strategy, int serverPort, IntFunction<String> url,
			String user, String password) throws Exception {
		Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
			Databases.createSchema(dialect, url.apply(serverPort), user, password);
			return true;
		});
		List<HikariDataSource> pools = new ArrayList<>();
		long seed = Long.getLong("cuts.seed", System.nanoTime());
		BrokenCuts cuts = new BrokenCuts(seed, LockRequest.of("k"));
		List<String> conflicts = cuts.run(serverPort, (port) -> {
			HikariDataSource pool = Databases.pool(url.apply(port), user, password, 20);
			pools.add(pool);
			return JdbcLocks.provider(pool, JdbcLockSettings.of(dialect)
				.withStrategy(strategy)
				.withCommandTimeout(Duration.ofMillis(700))
				.withMaxLockConnections(16));
		}, Duration.ofSeconds(Long.getLong("cuts.seconds", 25)));
		System.out.println(dialect + " downgrades " + cuts.downgrades + " holds " + cuts.holds.size());
		assertThat(conflicts).as("seed %d", seed).isEmpty();
		pools.forEach(HikariDataSource::close);
	}

}
