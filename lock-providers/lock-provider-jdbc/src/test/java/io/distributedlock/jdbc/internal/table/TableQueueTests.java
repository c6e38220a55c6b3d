package io.distributedlock.jdbc.internal.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.jdbc.LostStatements;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
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

	/**
	 * The last statement of a grant.
	 */
	private static final Predicate<String> LEAVE_QUEUE = ("DELETE FROM distributed_lock_member"
			+ " WHERE lock_key = ? AND owner = ?")::equals;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private HikariDataSource pool;

	private LostStatements lost;

	private LockProvider other;

	private LockProvider node;

	private Lease held;

	private LockQueue.Place first;

	@BeforeEach
	void start() {
		this.pool = open(Databases.pool("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), "sa", "", 10));
		JdbcLockSchema.create(this.pool, JdbcDialect.H2);
		this.lost = new LostStatements(this.pool);
		this.other = provider(this.pool, Patience.LIMIT);
		this.held = Objects.requireNonNull(get(this.other.tryAcquire(REQUEST)));
		// shorter than the answers that are late here
		this.node = provider(this.lost.dataSource(), Duration.ofSeconds(2));
		this.first = behindOthers(this.node);
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
		Patience.await().until(fault::isReached);
		assertThatGrantedInTurn(this.first, second);
	}

	@Test
	void grantWhoseAnswerIsLateIsRecognisedByTheNextQuestion() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault fault = this.lost.delayReply(TableQueueTests::takes);
		get(this.held.release());
		this.first.lookAgain();
		Patience.await().until(fault::isReached);
		assertThatGrantedInTurn(this.first, second);
		fault.proceed();
	}

	@Test
	void grantIsRecognisedThoughTwoAnswersWereLost() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault afterGrant = this.lost.loseReply(TableQueueTests::takes);
		LostStatements.Fault afterThat = this.lost.loseReply(TableQueueTests::takes);
		get(this.held.release());
		Patience.await().until(() -> {
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
		Patience.await().until(fault::isReached);
		assertThat(get(lease.release())).isTrue();
		assertThat(get(granted(second).release())).isTrue();
		fault.proceed();
		Patience.await().until(fault::isExecuted);
		assertThatNobodyQueues();
	}

	@Test
	void releaseRemovesThePlaceIfThatHasFailedBefore() throws SQLException {
		LockQueue.Place second = behindOthers(this.other);
		LostStatements.Fault fault = this.lost.fail(LEAVE_QUEUE);
		get(this.held.release());
		Lease lease = granted(this.first);
		Patience.await().until(fault::isReached);
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
		Patience.await().until(fault::isReached);
		get(granted(this.first).release());
		fault.proceed();
		Patience.await().until(fault::isExecuted);
		Lease next = Patience.await().until(() -> get(this.other.tryAcquire(REQUEST)), Objects::nonNull);
		assertThat(get(next.release())).isTrue();
	}

	/**
	 * Two calls have left, and what removes them is slow.
	 */
	@Test
	void releaseDoesNotWaitForRemovals() {
		LockProvider patient = provider(this.lost.dataSource(), Duration.ofSeconds(20));
		List<LostStatements.Fault> removals = new ArrayList<>();
		Lease mine = Objects.requireNonNull(get(patient.tryAcquire(request("mine"))));
		for (String key : List.of("one", "another")) {
			assertThat(get(this.other.tryAcquire(request(key)))).isNotNull();
			LockQueue.Place place = behindOthers(patient, request(key));
			removals.add(this.lost.delay((sql) -> sql.startsWith("DELETE FROM distributed_lock_member")));
			place.leave();
			Patience.await().until(removals.get(removals.size() - 1)::isReached);
		}
		CompletableFuture<Boolean> release = mine.release().toCompletableFuture();
		Patience.await().until(release::isDone);
		assertThat(removals).noneMatch(LostStatements.Fault::isExecuted);
		assertThat(release).isCompletedWithValue(true);
		removals.forEach(LostStatements.Fault::proceed);
	}

	/**
	 * A call comes while the question about another one is under way, whose answer is
	 * lost: nobody has asked about the new call yet.
	 */
	@Test
	void callThatComesWhileAQuestionFailsDoesNotFail() {
		assertThat(get(this.other.tryAcquire(request("another")))).isNotNull();
		LostStatements.Fault fault = this.lost.delay(TableQueueTests::takes);
		LockQueue.Place early = ((LockQueue) this.node).enqueue(request("another"));
		Patience.await().until(fault::isReached);
		LockQueue.Place late = ((LockQueue) this.node).enqueue(request("another"));
		Patience.await().until(early.granted().toCompletableFuture()::isCompletedExceptionally);
		Patience.await().until(() -> late.isBehindOthers() || late.granted().toCompletableFuture().isDone());
		assertThat(late.granted().toCompletableFuture()).isNotDone();
		fault.proceed();
	}

	/**
	 * A call leaves while it is granted, and its lease cannot be released at first.
	 */
	@Test
	void grantThatNobodyTakesEndsThoughItsReleaseFails() {
		LostStatements.Fault granting = this.lost.delayReply(TableQueueTests::takes);
		get(this.held.release());
		this.first.lookAgain();
		Patience.await().until(granting::isReached);
		this.first.leave();
		LostStatements.Fault releasing = this.lost.fail((sql) -> sql.contains("SET owner = NULL"));
		granting.proceed();
		Patience.await().until(releasing::isReached);
		Lease next = Patience.await().until(() -> get(this.other.tryAcquire(REQUEST)), Objects::nonNull);
		assertThat(get(next.release())).isTrue();
	}

	/**
	 * A call leaves while it is granted, and its provider is closed.
	 */
	@Test
	void grantThatComesAfterTheProviderWasClosedIsUndone() {
		this.first.leave();
		Lease another = Objects.requireNonNull(get(this.other.tryAcquire(request("another"))));
		LockProvider patient = provider(this.lost.dataSource(), Duration.ofSeconds(20));
		LockQueue.Place place = behindOthers(patient, request("another"));
		LostStatements.Fault granting = this.lost.delayReply(TableQueueTests::takes);
		get(another.release());
		Patience.await().until(granting::isReached);
		place.leave();
		patient.close();
		granting.proceed();
		assertThatOthersGet(request("another"));
	}

	/**
	 * A call has left whose grant was lost, and its provider is closed before anything
	 * was removed.
	 */
	@Test
	void closingRemovesAGrantWhoseAnswerWasLost() {
		this.first.leave();
		Lease another = Objects.requireNonNull(get(this.other.tryAcquire(request("another"))));
		LockProvider patient = provider(this.lost.dataSource(), Duration.ofSeconds(20));
		LockQueue.Place place = behindOthers(patient, request("another"));
		this.lost.loseReply(TableQueueTests::takes);
		LostStatements.Fault asking = this.lost.delay((sql) -> sql.startsWith("SELECT CASE WHEN (owner IS NULL"));
		get(another.release());
		Patience.await().until(asking::isReached);
		place.leave();
		patient.close();
		assertThatOthersGet(request("another"));
		asking.proceed();
	}

	/**
	 * As a driver inside of another one may do, which reports what it does.
	 */
	@Test
	void ownerIsRemovedWhateverIsThrownInPlaceOfAnAnswer() {
		LeaseRequest request = new LeaseRequest("unsure", LEASE, LockType.EXCLUSIVE);
		this.lost.loseReply((sql) -> sql.startsWith("INSERT INTO distributed_lock "),
				new IllegalStateException("the statement cannot be reported"));
		assertThat(this.node.tryAcquire(request).toCompletableFuture()).failsWithin(Patience.LIMIT);
		assertThatOthersGet(request);
	}

	private void assertThatOthersGet(LeaseRequest request) {
		Lease next = Patience.await().until(() -> get(this.other.tryAcquire(request)), Objects::nonNull);
		assertThat(get(next.release())).isTrue();
	}

	/**
	 * Whoever asked has stopped waiting before the question was sent, and nobody asks
	 * about the row again.
	 */
	@Test
	void ownerOfALateAnswerIsRemovedWithItsRow() {
		AtomicInteger removals = new AtomicInteger();
		QueueRow row = new QueueRow("late", removals::incrementAndGet);
		row.isLate();
		assertThat(removals).as("while the next question may find the grant").hasValue(0);
		row.ended(null);
		assertThat(removals).hasValue(1);
	}

	private static LeaseRequest request(String key) {
		return new LeaseRequest(key, LEASE, LockType.FAIR);
	}

	@Test
	void rowThatHasExpiredDoesNotOvertake() throws SQLException {
		LockTable table = new LockTable(SqlDialect.H2);
		MemberTable members = new MemberTable(SqlDialect.H2);
		TableQueue queue = new TableQueue(table, members, SqlDialect.H2);
		LeaseRequest expired = new LeaseRequest("other", Duration.ofMillis(1), LockType.FAIR);
		LeaseRequest request = new LeaseRequest("other", LEASE, LockType.FAIR);
		QueueRow had = TableLineTests.row("had");
		QueueRow waiter = TableLineTests.row("waiter");
		try (Connection connection = this.pool.getConnection()) {
			Session session = Session.on(connection);
			assertThat(table.take(session, expired, "had")).isNotZero();
			Patience.await().until(() -> table.read(session, "other").free());
			assertThat(queue.acquire(session, request, "had")).as("nobody waits").isNotZero();
			assertThat(table.renew(session, "other", "had", Duration.ofMillis(1))).isTrue();
			Patience.await().until(() -> table.read(session, "other").free());
			members.queue(session, MemberTable.queueOf("other"), "waiter", LEASE, false);
			assertThat(queue.ask(session, TableLineTests.question(request, had))).isZero();
			assertThat(queue.ask(session, TableLineTests.question(request, waiter))).isNotZero();
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
			Session session = Session.on(connection);
			// rows are removed by those who do not need them any more
			Patience.await("an empty queue")
				.until(() -> session.number("SELECT COUNT(*) FROM distributed_lock_member") == 0);
		}
	}

	private static boolean takes(String sql) {
		return sql.contains("UPDATE distributed_lock SET owner = ?,");
	}

	private static Lease granted(LockQueue.Place place) {
		Patience.await().until(() -> {
			place.lookAgain();
			return place.granted().toCompletableFuture().isDone();
		});
		return get(place.granted());
	}

	private static LockQueue.Place behindOthers(LockProvider provider) {
		return behindOthers(provider, REQUEST);
	}

	private static LockQueue.Place behindOthers(LockProvider provider, LeaseRequest request) {
		LockQueue.Place place = ((LockQueue) provider).enqueue(request);
		AtomicInteger polls = new AtomicInteger();
		Patience.await().until(() -> {
			// on a busy machine the first question may have failed
			if (polls.incrementAndGet() % 20 == 0) {
				place.lookAgain();
			}
			return place.isBehindOthers();
		});
		return place;
	}

	private LockProvider provider(DataSource database, Duration commandTimeout) {
		return open(
				JdbcLocks.provider(database, JdbcLockSettings.of(JdbcDialect.H2).withCommandTimeout(commandTimeout)));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
