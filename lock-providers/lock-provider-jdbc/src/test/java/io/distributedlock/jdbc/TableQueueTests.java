package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Queues whose answers are lost or come late.
 */
class TableQueueTests {

	/**
	 * Longer than any test waits.
	 */
	private static final Duration LEASE = Duration.ofMinutes(5);

	private static final LeaseRequest REQUEST = new LeaseRequest("k", LEASE, LockType.FAIR);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/**
	 * The last statement of a grant.
	 */
	private static final Predicate<String> LEAVE_QUEUE = ("DELETE FROM distributed_lock_member"
			+ " WHERE lock_key = ? AND owner = ?")::equals;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private HikariDataSource pool;

	private LostStatements lost;

	private LockProvider other;

	private Lease held;

	private LockQueue.Place first;

	@BeforeEach
	void start() {
		this.pool = open(Databases.pool("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), "sa", "", 10));
		JdbcLockSchema.create(this.pool, JdbcDialect.H2);
		this.lost = new LostStatements(this.pool);
		this.other = provider(this.pool);
		this.held = Objects.requireNonNull(get(this.other.tryAcquire(REQUEST)));
		this.first = behindOthers(provider(this.lost.dataSource()));
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void grantWhoseAnswerWasLostIsRecognisedByTheNextQuestion() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault fault = this.lost.loseReply(TableQueueTests::takes);
		get(this.held.release());
		this.first.lookAgain();
		Awaitility.await().until(fault::isReached);
		assertThatGrantedInTurn(this.first, second);
	}

	@Test
	void grantWhoseAnswerIsLateIsRecognisedByTheNextQuestion() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault fault = this.lost.delayReply(TableQueueTests::takes);
		get(this.held.release());
		this.first.lookAgain();
		Awaitility.await().until(fault::isReached);
		assertThatGrantedInTurn(this.first, second);
		fault.proceed();
	}

	@Test
	void grantIsRecognisedThoughTwoAnswersWereLost() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault afterGrant = this.lost.loseReply(TableQueueTests::takes);
		LostStatements.Fault afterThat = this.lost.loseReply(TableQueueTests::takes);
		get(this.held.release());
		Awaitility.await().atMost(PATIENCE).until(() -> {
			this.first.lookAgain();
			return afterGrant.isReached() && afterThat.isReached();
		});
		assertThatGrantedInTurn(this.first, second);
	}

	/**
	 * The caller has its lock, and leaves the queue while it works.
	 */
	@Test
	void grantDoesNotWaitUntilThePlaceIsRemoved() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault fault = this.lost.delay(LEAVE_QUEUE);
		get(this.held.release());
		Lease lease = granted(this.first);
		Awaitility.await().until(fault::isReached);
		assertThat(get(lease.release())).isTrue();
		assertThat(get(granted(second).release())).isTrue();
		fault.proceed();
		Awaitility.await().until(fault::isExecuted);
		assertThatNobodyQueues();
	}

	@Test
	void releaseRemovesThePlaceIfThatHasFailedBefore() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault fault = this.lost.fail(LEAVE_QUEUE);
		get(this.held.release());
		Lease lease = granted(this.first);
		Awaitility.await().until(fault::isReached);
		this.lost.executed();
		assertThat(get(lease.release())).isTrue();
		assertThat(this.lost.executed()).as("the place ends before the key is free")
			.filteredOn((sql) -> sql.equals("DELETE FROM distributed_lock_member WHERE lock_key = ? AND owner = ?")
					|| sql.contains("SET owner = NULL"))
			.hasSize(2)
			.last()
			.asString()
			.contains("SET owner = NULL");
		assertThat(get(granted(second).release())).isTrue();
		assertThatNobodyQueues();
	}

	/**
	 * A question that was given up is executed after the next question was granted and
	 * its lease released.
	 */
	@Test
	void grantThatComesAfterTheReleaseIsUndone() {
		LostStatements.Fault fault = this.lost.delay(TableQueueTests::takes);
		get(this.held.release());
		this.first.lookAgain();
		Awaitility.await().until(fault::isReached);
		get(granted(this.first).release());
		fault.proceed();
		Awaitility.await().until(fault::isExecuted);
		Lease next = Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> get(this.other.tryAcquire(REQUEST)), Objects::nonNull);
		assertThat(get(next.release())).isTrue();
	}

	@Test
	void rowThatHasExpiredDoesNotOvertake() throws SQLException {
		LockTable table = new LockTable(JdbcDialect.H2);
		MemberTable members = new MemberTable(JdbcDialect.H2);
		TableQueue queue = new TableQueue(table, members, JdbcDialect.H2);
		LeaseRequest expired = new LeaseRequest("other", Duration.ofMillis(1), LockType.FAIR);
		LeaseRequest request = new LeaseRequest("other", LEASE, LockType.FAIR);
		QueuedOwner had = new QueuedOwner("had", () -> {
		});
		QueuedOwner waiter = new QueuedOwner("waiter", () -> {
		});
		try (Connection connection = this.pool.getConnection()) {
			Session session = Session.on(connection);
			assertThat(table.take(session, expired, "had")).isNotZero();
			Awaitility.await().until(() -> table.read(session, "other").free());
			assertThat(queue.acquire(session, request, "had")).as("nobody waits").isNotZero();
			assertThat(table.renew(session, "other", "had", Duration.ofMillis(1))).isTrue();
			Awaitility.await().until(() -> table.read(session, "other").free());
			members.queue(session, TableQueue.queueOf("other"), "waiter", LEASE, false);
			assertThat(queue.acquireInTurn(session, request, had)).isZero();
			assertThat(queue.acquireInTurn(session, request, waiter)).isNotZero();
		}
	}

	private void assertThatGrantedInTurn(LockQueue.Place one, LockQueue.Place another) throws SQLException {
		Lease lease = granted(one);
		assertThat(get(lease.renew(LEASE))).isNotNull();
		another.lookAgain();
		assertThat(another.granted().toCompletableFuture()).isNotDone();
		assertThat(get(lease.release())).isTrue();
		Lease next = granted(another);
		assertThat(next.fencingToken().orElseThrow()).isGreaterThan(lease.fencingToken().orElseThrow());
		assertThat(get(next.release())).isTrue();
		assertThatNobodyQueues();
	}

	private void assertThatNobodyQueues() throws SQLException {
		try (Connection connection = this.pool.getConnection()) {
			assertThat(Session.on(connection).number("SELECT COUNT(*) FROM distributed_lock_member")).isZero();
		}
	}

	private static boolean takes(String sql) {
		return sql.contains("UPDATE distributed_lock SET owner = ?,");
	}

	private static Lease granted(LockQueue.Place place) {
		Awaitility.await().atMost(PATIENCE).until(() -> {
			place.lookAgain();
			return place.granted().toCompletableFuture().isDone();
		});
		return get(place.granted());
	}

	private static LockQueue.Place behindOthers(LockProvider provider) {
		LockQueue.Place place = ((LockQueue) provider).enqueue(REQUEST);
		Awaitility.await().until(place::isBehindOthers);
		return place;
	}

	private LockProvider provider(DataSource database) {
		return open(JdbcLocks.provider(database,
				JdbcLockSettings.of(JdbcDialect.H2).withCommandTimeout(Duration.ofSeconds(1))));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
