package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.jdbc.internal.session.SessionLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A pool whose connections are all in use by the application, for longer than any lease.
 */
class JdbcFullPoolTests {

	private static final int POOL_SIZE = 4;

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration POOL_TIMEOUT = Duration.ofMinutes(5);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private String url;

	private HikariDataSource pool;

	@BeforeEach
	void start() {
		this.url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
		this.pool = Databases.pool(this.url, "sa", "", POOL_SIZE);
		this.pool.setConnectionTimeout(POOL_TIMEOUT.toMillis());
		JdbcLockSchema.create(this.pool, JdbcDialect.H2);
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
		this.pool.close();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void callsFailAfterTheCommandTimeout(JdbcLockStrategy strategy) throws SQLException {
		LockProvider provider = provider(strategy);
		takeAllConnections();
		// on a busy machine the thread of a call may begin late now and then
		Patience.await()
			.untilAsserted(() -> assertThat(failureOf(provider, request("k", Duration.ofSeconds(60))))
				.isInstanceOf(BackendException.class)
				.hasMessageContaining("pool"));
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void callersAreToldOfThePoolThoughBothTimeOutsAreTheSame(JdbcLockStrategy strategy) throws SQLException {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider(strategy))
			.commandTimeout(COMMAND_TIMEOUT)
			.waitTime(Duration.ZERO)
			.build()) {
			takeAllConnections();
			// on a busy machine the answer of the provider may be late now and then
			Patience.await()
				.untilAsserted(() -> assertThatThrownBy(() -> template.acquire("k"))
					.isInstanceOf(LockUnavailableException.class)
					.hasMessageContaining("pool"));
		}
	}

	@Test
	void rowLockEndsWithItsLease() throws Exception {
		LockProvider provider = provider(JdbcLockStrategy.FOR_UPDATE);
		acquired(provider, request("k", Duration.ofSeconds(5)));
		assertThat(isRowLocked("k")).isTrue();
		blockEveryThread(provider);
		Patience.await().until(() -> !isRowLocked("k"));
		Patience.await().until(() -> ((SessionLockProvider) provider).freeConnections() > 0);
	}

	@Test
	void rowLockIsRenewedAndReleased() throws Exception {
		LockProvider provider = provider(JdbcLockStrategy.FOR_UPDATE, Patience.LIMIT);
		Lease lease = acquired(provider, request("k", Duration.ofSeconds(60)));
		blockEveryThread(provider);
		assertThat(get(lease.renew(Duration.ofSeconds(60)))).isNotNull();
		assertThat(get(lease.release())).isTrue();
		assertThat(isRowLocked("k")).isFalse();
	}

	@Test
	void rowLocksEndWithTheirProvider() throws Exception {
		LockProvider provider = provider(JdbcLockStrategy.FOR_UPDATE);
		acquired(provider, request("k", Duration.ofSeconds(60)));
		provider.close();
		Patience.await().until(() -> !isRowLocked("k"));
		Patience.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void nothingIsSentAfterTheCallerHasGivenUp(JdbcLockStrategy strategy) throws Exception {
		LockProvider provider = provider(strategy);
		List<Connection> taken = takeAllConnections();
		LeaseRequest request = new LeaseRequest("late", Duration.ofSeconds(60), LockType.EXCLUSIVE, 1,
				System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200));
		CompletableFuture<Lease> late = provider.tryAcquire(request).toCompletableFuture();
		Patience.await().until(() -> request.remainingNanos() < 0);
		for (Connection connection : taken) {
			connection.close();
		}
		Patience.await().until(late::isDone);
		assertThat(late).isCompletedExceptionally();
		// the next call runs on the same thread
		acquired(provider, request("next", Duration.ofSeconds(60)));
		assertThat(rows("late")).as("rows of the call that was given up").isZero();
	}

	private List<Connection> takeAllConnections() throws SQLException {
		List<Connection> taken = new ArrayList<>();
		while (this.pool.getHikariPoolMXBean() == null
				|| this.pool.getHikariPoolMXBean().getActiveConnections() < POOL_SIZE) {
			Connection connection = this.pool.getConnection();
			taken.add(connection);
			this.opened.add(connection);
		}
		return taken;
	}

	/**
	 * Make all threads for attempts wait for a connection that does not come.
	 */
	private void blockEveryThread(LockProvider provider) throws SQLException {
		takeAllConnections();
		for (int i = 0; i < POOL_SIZE; i++) {
			provider.tryAcquire(request("other" + i, Duration.ofSeconds(60)));
		}
		Patience.await().until(() -> this.pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
	}

	private boolean isRowLocked(String key) throws SQLException {
		try (Connection connection = DriverManager.getConnection(this.url, "sa", "");
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			boolean free = statement
				.executeQuery("SELECT lock_key FROM distributed_lock_row WHERE lock_key = '%s' FOR UPDATE SKIP LOCKED"
					.formatted(key))
				.next();
			connection.rollback();
			return !free;
		}
	}

	private long rows(String key) throws SQLException {
		try (Connection connection = DriverManager.getConnection(this.url, "sa", "");
				Statement statement = connection.createStatement();
				ResultSet result = statement
					.executeQuery(("SELECT (SELECT COUNT(*) FROM distributed_lock WHERE lock_key = '%1$s')"
							+ " + (SELECT COUNT(*) FROM distributed_lock_row WHERE lock_key = '%1$s')")
						.formatted(key))) {
			result.next();
			return result.getLong(1);
		}
	}

	private static Throwable failureOf(LockProvider provider, LeaseRequest request) {
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		provider.tryAcquire(request)
			.whenComplete((lease, thrown) -> failure
				.complete((thrown != null && thrown.getCause() != null && !(thrown instanceof BackendException))
						? thrown.getCause() : thrown));
		return failure.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

	private static LeaseRequest request(String key, Duration leaseTime) {
		return new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE);
	}

	/**
	 * Acquire a free lock. On a busy machine the first connections take longer than the
	 * command time-out.
	 */
	private static Lease acquired(LockProvider provider, LeaseRequest request) {
		return Objects.requireNonNull(
				Patience.await().ignoreExceptions().until(() -> get(provider.tryAcquire(request)), Objects::nonNull));
	}

	private LockProvider provider(JdbcLockStrategy strategy) {
		return provider(strategy, COMMAND_TIMEOUT);
	}

	private LockProvider provider(JdbcLockStrategy strategy, Duration commandTimeout) {
		LockProvider provider = JdbcLocks.provider(this.pool,
				Databases.settings(JdbcDialect.H2)
					.withStrategy(strategy)
					.withThreads(2)
					.withCommandTimeout(commandTimeout));
		this.opened.add(0, provider);
		return provider;
	}

}
