package io.distributedlock.jdbc.internal.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.jdbc.PostgresTestServer;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that crashes before it has written what no commit has waited for.
 */
class PostgresCrashTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	/**
	 * As in production: the server of the tests waits for no commit.
	 */
	private static final String SYNCED = "?options=-c%20synchronous_commit=on";

	private static PostgresTestServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final LeaseRequest request = new LeaseRequest("k" + UUID.randomUUID(), LEASE, LockType.EXCLUSIVE, 1,
			System.nanoTime() + Session.NEVER_NANOS, 1, Duration.ofMillis(200));

	@BeforeAll
	static void startServer() {
		server = PostgresTestServer.run();
		Databases.createSchema(JdbcDialect.POSTGRESQL, server.url(), "postgres", "");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void releaseThatIsUndoneKeepsTheKeyForItsOwner() {
		LockProvider provider = provider();
		server.suspendBackgroundWriting();
		Lease lease = acquire(provider);
		assertThat(get(lease.release())).isTrue();
		server.crash();
		assertThat(answer(() -> get(provider().tryAcquire(this.request)) == null)).as("the key is taken").isTrue();
		assertThat(answer(() -> get(lease.release()))).isTrue();
		assertThat(get(acquire(provider).release())).isTrue();
	}

	@Test
	void nothingIsUndoneOfAnAcquisition() {
		LockProvider provider = provider();
		server.suspendBackgroundWriting();
		Lease before = acquire(provider);
		assertThat(get(before.release())).isTrue();
		Lease lease = acquire(provider);
		long token = lease.fencingToken().orElseThrow();
		assertThat(token).isGreaterThan(before.fencingToken().orElseThrow());
		server.crash();
		assertThat(answer(() -> get(lease.renew(LEASE)) != null)).isTrue();
		assertThat(get(before.release())).isFalse();
		assertThat(get(lease.release())).isTrue();
		assertThat(acquire(provider).fencingToken().orElseThrow()).isGreaterThan(token);
	}

	@Test
	void grantToAPlaceIsNotUndone() {
		LockProvider holder = provider();
		LockProvider waiter = provider();
		server.suspendBackgroundWriting();
		Lease held = acquire(holder);
		LockQueue.Place place = behindOthers(waiter);
		assertThat(get(held.release())).isTrue();
		Lease lease = get(place.granted());
		server.crash();
		assertThat(answer(() -> get(lease.renew(LEASE)) != null)).isTrue();
		assertThat(get(holder.tryAcquire(this.request))).isNull();
	}

	/**
	 * A place says at intervals that it stays, which adds it again.
	 */
	@Test
	void placeThatIsUndoneIsTakenAgain() throws SQLException {
		LockProvider holder = provider();
		LockProvider waiter = provider();
		Lease held = acquire(holder);
		server.suspendBackgroundWriting();
		LockQueue.Place place = behindOthers(waiter);
		long ticket = ticket();
		server.crash();
		Patience.await().ignoreExceptions().until(() -> {
			place.lookAgain();
			return ticket() > ticket;
		});
		assertThat(answer(() -> get(held.release()))).isTrue();
		Patience.await().until(() -> {
			place.lookAgain();
			return place.granted().toCompletableFuture().isDone();
		});
		assertThat(get(get(place.granted()).release())).isTrue();
	}

	/**
	 * Return the ticket of the place, zero if there is none.
	 */
	private long ticket() throws SQLException {
		HikariDataSource pool = pool();
		try (Connection connection = pool.getConnection()) {
			return Session.on(connection)
				.number("SELECT MAX(ticket) FROM distributed_lock_member WHERE lock_key = ?",
						MemberTable.queueOf(this.request.key()));
		}
		finally {
			pool.close();
		}
	}

	/**
	 * Ask until the server is there again.
	 */
	private static <T> T answer(Callable<T> question) {
		return Patience.await().ignoreExceptions().until(question, Objects::nonNull);
	}

	private LockQueue.Place behindOthers(LockProvider provider) {
		LockQueue.Place place = ((LockQueue) provider).enqueue(this.request);
		Patience.await().until(place::isBehindOthers);
		return place;
	}

	private Lease acquire(LockProvider provider) {
		return Objects.requireNonNull(get(provider.tryAcquire(this.request)));
	}

	private LockProvider provider() {
		return open(JdbcLocks.provider(pool(), Databases.settings(JdbcDialect.POSTGRESQL)));
	}

	private HikariDataSource pool() {
		return open(Databases.pool(server.url() + SYNCED, "postgres", "", 10));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
