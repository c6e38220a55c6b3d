package io.distributedlock.jdbc.internal.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.jdbc.LostStatements;
import io.distributedlock.jdbc.PostgresTestServer;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Places in queues that nobody asks about: they are told, or ask themselves, long before
 * the engine does.
 */
class TableLineTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	/**
	 * Longer than any test waits.
	 */
	private static final Duration LOOK = Duration.ofSeconds(75);

	private static PostgresTestServer postgres;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final String key = "k" + UUID.randomUUID();

	@BeforeAll
	static void startServer() {
		postgres = PostgresTestServer.run();
		Databases.createSchema(JdbcDialect.POSTGRESQL, postgres.url(), "postgres", "");
		Databases.createSchema(JdbcDialect.H2, "jdbc:h2:mem:places;DB_CLOSE_DELAY=-1", "sa", "");
	}

	@AfterAll
	static void stopServer() {
		if (postgres != null) {
			postgres.close();
		}
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void placesOfSeveralNodesAreServedInTheirOrder(JdbcDialect dialect) {
		for (LockType type : List.of(LockType.EXCLUSIVE, LockType.FAIR)) {
			LockProvider holder = provider(dialect);
			Lease held = acquire(holder, request(type, LOOK));
			List<LockQueue.Place> places = new ArrayList<>();
			for (LockProvider node : List.of(provider(dialect), holder, provider(dialect), holder)) {
				places.add(behindOthers(node, request(type, LOOK)));
			}
			for (LockQueue.Place place : places) {
				assertThat(placesGranted(places)).isEqualTo(places.indexOf(place));
				assertThat(get(held.release())).isTrue();
				Lease next = granted(place);
				assertThat(next.fencingToken().orElseThrow()).isGreaterThan(held.fencingToken().orElseThrow());
				held = next;
			}
			assertThat(get(held.release())).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void placeThatIsLeftLetsTheNextOneIn(JdbcDialect dialect) throws SQLException {
		LockProvider holder = provider(dialect);
		Lease held = acquire(holder, request(LockType.EXCLUSIVE, LOOK));
		MemberTable members = new MemberTable(Databases.sql(dialect));
		try (Connection connection = pool(dialect).getConnection()) {
			// a node that has stopped, so that it does not take the key
			members.queue(Session.on(connection), MemberTable.queueOf(this.key), "stopped", LEASE, false);
		}
		LockQueue.Place next = behindOthers(provider(dialect), request(LockType.EXCLUSIVE, LOOK));
		assertThat(get(held.release())).isTrue();
		assertThat(get(holder.tryAcquire(request(LockType.FAIR, LOOK)))).as("an attempt that overtakes").isNull();
		assertThat(next.granted().toCompletableFuture()).isNotDone();
		try (Connection connection = pool(dialect).getConnection()) {
			LockTable table = new LockTable(Databases.sql(dialect));
			assertThat(new TableQueue(table, members, Databases.sql(dialect)).leave(Session.on(connection), this.key,
					"stopped"))
				.isPresent();
		}
		assertThat(get(granted(next).release())).isTrue();
	}

	/**
	 * The message of the release names the place that is removed, as its row was there
	 * when the release began.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void placeThatIsRemovedDuringAReleaseLetsTheNextOneIn(boolean leaves) throws SQLException {
		LockTable table = new LockTable(SqlDialect.POSTGRESQL);
		try (Connection releasing = pool(JdbcDialect.POSTGRESQL).getConnection();
				Connection removing = pool(JdbcDialect.POSTGRESQL).getConnection();
				Connection watching = pool(JdbcDialect.POSTGRESQL).getConnection()) {
			LockQueue.Place next = behindHolderAndGone(Session.on(releasing));
			releasing.setAutoCommit(false);
			assertThat(table.release(Session.on(releasing), this.key, "holder")).contains(this.key + " gone");
			CompletableFuture<Boolean> removed = CompletableFuture.supplyAsync(() -> {
				assertThatCode(() -> removeGone(Session.on(removing), leaves)).doesNotThrowAnyException();
				return true;
			});
			Patience.await()
				.until(() -> removed.isDone()
						|| Session.on(watching).isAny("SELECT 1 FROM pg_locks WHERE NOT granted"));
			releasing.commit();
			assertThat(get(removed)).isTrue();
			assertThat(get(granted(next).release())).isTrue();
		}
	}

	/**
	 * The server may stop a release after it has read which place is first.
	 */
	@Test
	void messageToAPlaceThatHasGoneLetsTheNextOneIn() throws SQLException {
		LockProvider holder = provider(JdbcDialect.POSTGRESQL);
		acquire(holder, request(LockType.EXCLUSIVE, LOOK));
		LockQueue.Place gone = behindOthers(provider(JdbcDialect.POSTGRESQL), request(LockType.EXCLUSIVE, LOOK));
		try (Connection connection = pool(JdbcDialect.POSTGRESQL).getConnection()) {
			Session session = Session.on(connection);
			String queued = "SELECT owner FROM distributed_lock_member WHERE lock_key = ? ORDER BY ticket";
			String name = session.text(queued, MemberTable.queueOf(this.key));
			LockQueue.Place next = behindOthers(provider(JdbcDialect.POSTGRESQL), request(LockType.EXCLUSIVE, LOOK));
			gone.leave();
			Patience.await()
				.pollInterval(Duration.ofMillis(1))
				.until(() -> !session.text(queued, MemberTable.queueOf(this.key)).equals(name));
			new LockTable(SqlDialect.POSTGRESQL).vacate(session, this.key);
			session.text("SELECT pg_notify('distributed_lock', ?)", this.key + ' ' + name);
			assertThat(get(granted(next).release())).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void removalThatIsTriedAgainLetsTheNextOneIn(boolean leaves) throws SQLException {
		LostStatements lost = new LostStatements(pool(JdbcDialect.POSTGRESQL));
		try (Connection removing = lost.dataSource().getConnection()) {
			Session session = Session.on(removing);
			LockQueue.Place next = behindHolderAndGone(session);
			assertThat(new LockTable(SqlDialect.POSTGRESQL).release(session, this.key, "holder")).isPresent();
			lost.fail((sql) -> sql.contains("pg_notify(?"));
			assertThatThrownBy(() -> removeGone(session, false)).isInstanceOf(SQLException.class);
			removeGone(session, leaves);
			assertThat(get(granted(next).release())).isTrue();
		}
	}

	private LockQueue.Place behindHolderAndGone(Session session) throws SQLException {
		LeaseRequest request = request(LockType.EXCLUSIVE, LOOK);
		assertThat(new LockTable(SqlDialect.POSTGRESQL).take(session, request, "holder")).isNotZero();
		new MemberTable(SqlDialect.POSTGRESQL).queue(session, MemberTable.queueOf(this.key), "gone", LEASE, false);
		return behindOthers(provider(JdbcDialect.POSTGRESQL), request);
	}

	private void removeGone(Session session, boolean leaves) throws SQLException {
		TableQueue queue = new TableQueue(new LockTable(SqlDialect.POSTGRESQL), new MemberTable(SqlDialect.POSTGRESQL),
				SqlDialect.POSTGRESQL);
		if (leaves) {
			queue.leave(session, this.key, "gone");
		}
		else {
			queue.remove(session, this.key, List.of(row("gone")));
		}
	}

	@Test
	void waitingCallAsksOnWhileOthersJoinAndLeave() {
		LockProvider holder = provider(JdbcDialect.H2);
		LockProvider node = provider(JdbcDialect.H2);
		for (int round = 0; round < 40; round++) {
			Lease held = acquire(holder, request(LockType.EXCLUSIVE, LOOK));
			LockQueue.Place place = behindOthers(node, request(LockType.FAIR, LOOK));
			for (int i = 0; i < round % 10; i++) {
				((LockQueue) node).enqueue(request(LockType.FAIR, LOOK)).leave();
			}
			assertThat(get(held.release())).isTrue();
			assertThat(get(get(place.granted()).release())).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void placeAboutWhichNobodyAsksIsSkipped(JdbcDialect dialect) throws SQLException {
		Duration look = Duration.ofMillis(700);
		try (Connection connection = pool(dialect).getConnection()) {
			Session session = Session.on(connection);
			LockTable table = new LockTable(Databases.sql(dialect));
			TableQueue queue = new TableQueue(table, new MemberTable(Databases.sql(dialect)), Databases.sql(dialect));
			QueueRow dead = row("dead");
			QueueRow alive = row("alive");
			LeaseRequest request = request(LockType.EXCLUSIVE, look);
			assertThat(queue.acquire(session, request, "holder")).isNotZero();
			assertThat(queue.ask(session, question(request, dead))).isZero();
			assertThat(queue.ask(session, question(request, alive))).isZero();
			assertThat(table.release(session, this.key, "holder")).isPresent();
			assertThat(queue.ask(session, question(request, alive))).as("while the other may be alive").isZero();
			Patience.await().until(() -> queue.ask(session, question(request, alive)), (token) -> token != 0);
		}
	}

	/**
	 * Two rows of one node join at the same time: the later one here is the first in the
	 * database. Callers are served in their order nevertheless.
	 */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void firstRowIsToldAlthoughItsNodeAsksAboutAnotherOne(JdbcDialect dialect) throws SQLException {
		Lease held = acquire(provider(dialect), request(LockType.FAIR, LOOK));
		LockProvider node = provider(dialect);
		LockQueue.Place early = behindOthers(node, request(LockType.FAIR, LOOK));
		LockQueue.Place late = behindOthers(node, request(LockType.FAIR, LOOK));
		makeFirstRowLast(dialect);
		assertThat(get(held.release())).isTrue();
		assertThat(get(granted(early).release())).isTrue();
		assertThat(get(granted(late).release())).isTrue();
	}

	/**
	 * The row that a message has named is not the one that the node asks about by itself.
	 */
	@Test
	void grantOfANamedRowWhoseAnswerWasLostIsRecognised() throws SQLException {
		Lease held = acquire(provider(JdbcDialect.POSTGRESQL), request(LockType.FAIR, LOOK));
		LostStatements lost = new LostStatements(pool(JdbcDialect.POSTGRESQL));
		LockProvider node = open(JdbcLocks.provider(lost.dataSource(), Databases.settings(JdbcDialect.POSTGRESQL)));
		LockQueue.Place early = behindOthers(node, request(LockType.FAIR, LOOK));
		LockQueue.Place late = behindOthers(node, request(LockType.FAIR, LOOK));
		makeFirstRowLast(JdbcDialect.POSTGRESQL);
		LostStatements.Fault fault = lost.loseReply((sql) -> sql.contains("UPDATE distributed_lock SET owner = ?,"));
		assertThat(get(held.release())).isTrue();
		Patience.await().until(fault::isReached);
		Patience.await().until(() -> {
			early.lookAgain();
			return early.granted().toCompletableFuture().isDone();
		});
		assertThat(get(get(early.granted()).release())).isTrue();
		assertThat(get(granted(late).release())).isTrue();
	}

	private void makeFirstRowLast(JdbcDialect dialect) throws SQLException {
		try (Connection connection = pool(dialect).getConnection()) {
			Session session = Session.on(connection);
			String ofQueue = " FROM distributed_lock_member WHERE lock_key = ?";
			String queue = MemberTable.queueOf(this.key);
			long lowest = session.number("SELECT MIN(ticket)" + ofQueue, queue);
			assertThat(session.update("UPDATE distributed_lock_member SET ticket = ? WHERE lock_key = ? AND ticket = ?",
					session.number("SELECT MAX(ticket)" + ofQueue, queue) + 1, queue, lowest))
				.isOne();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void leaseBringsAsManyTokensAsWereAskedFor(JdbcDialect dialect) {
		LockProvider provider = provider(dialect);
		long last = 0;
		for (int tokens : List.of(3, 5, 1)) {
			LeaseRequest request = new LeaseRequest(this.key, LEASE, LockType.EXCLUSIVE, 1,
					System.nanoTime() + Session.NEVER_NANOS, tokens, LOOK);
			Lease lease = acquire(provider, request);
			assertThat(lease.fencingTokens()).isEqualTo(tokens);
			assertThat(lease.fencingToken().orElseThrow()).isGreaterThan(last);
			last = lease.fencingToken().orElseThrow() + tokens - 1;
			assertThat(get(lease.release())).isTrue();
		}
	}

	static QueueRow row(String name) {
		return new QueueRow(name, () -> {
		});
	}

	static QueueQuestion question(LeaseRequest request, QueueRow front) {
		return new QueueQuestion(request, request.giveUpAtNanos(), List.of(front), List.of(), true, true);
	}

	private static long placesGranted(List<LockQueue.Place> places) {
		return places.stream().filter((place) -> place.granted().toCompletableFuture().isDone()).count();
	}

	private static Lease granted(LockQueue.Place place) {
		CompletableFuture<Lease> granted = place.granted().toCompletableFuture();
		Patience.await().until(granted::isDone);
		return get(granted);
	}

	private static LockQueue.Place behindOthers(LockProvider provider, LeaseRequest request) {
		LockQueue.Place place = ((LockQueue) provider).enqueue(request);
		Patience.await().until(place::isBehindOthers);
		return place;
	}

	private static Lease acquire(LockProvider provider, LeaseRequest request) {
		return Objects.requireNonNull(get(provider.tryAcquire(request)));
	}

	private LeaseRequest request(LockType type, Duration look) {
		return new LeaseRequest(this.key, LEASE, type, 1, System.nanoTime() + Session.NEVER_NANOS, 1, look);
	}

	private LockProvider provider(JdbcDialect dialect) {
		return open(JdbcLocks.provider(pool(dialect), Databases.settings(dialect)));
	}

	private HikariDataSource pool(JdbcDialect dialect) {
		return open((dialect == JdbcDialect.POSTGRESQL) ? Databases.pool(postgres.url(), "postgres", "", 10)
				: Databases.pool("jdbc:h2:mem:places;DB_CLOSE_DELAY=-1", "sa", "", 10));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
