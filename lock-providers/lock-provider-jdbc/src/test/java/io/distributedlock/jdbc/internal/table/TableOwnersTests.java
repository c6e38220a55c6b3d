package io.distributedlock.jdbc.internal.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.H2TestServer;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLockStrategy;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.jdbc.LostStatements;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TableOwners}, beside those of the kit.
 */
class TableOwnersTests {

	/**
	 * Longer than any test waits.
	 */
	private static final Duration LEASE = Duration.ofMinutes(5);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private HikariDataSource pool;

	private LockProvider provider;

	@BeforeEach
	void start() {
		this.pool = open(Databases.pool("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), "sa", "", 10));
		JdbcLockSchema.create(this.pool, JdbcDialect.H2);
		this.provider = provider(this.pool, JdbcLockStrategy.ROW);
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void thoseWhoWaitInAQueueAreNoOwnersAndComeInTurnAfterAForcedRelease() {
		LeaseRequest request = request(LockType.FAIR);
		Lease lease = take(request);
		LockQueue.Place first = behindOthers(request);
		LockQueue.Place second = behindOthers(request);
		LockOwner owner = onlyOwner();
		assertThat(lease.ownerId()).contains(owner.id());
		assertThat(revoke(owner)).isTrue();
		Lease next = get(first.granted());
		assertThat(next.ownerId()).contains(onlyOwner().id());
		assertThat(revoke(owner)).as("the former owner").isFalse();
		assertThat(get(lease.release())).isFalse();
		assertThat(second.granted().toCompletableFuture()).isNotDone();
		assertThat(get(next.renew(LEASE))).isNotNull();
		get(next.release());
		get(get(second.granted()).release());
	}

	@Test
	void ownersOfPermitsAndOfTheLockOfTheSameKeyAreApart() {
		LeaseRequest permit = new LeaseRequest("k", LEASE, LockType.SEMAPHORE, 2, System.nanoTime() + LEASE.toNanos());
		Lease one = take(permit);
		Lease other = take(permit);
		Lease alone = take(request(LockType.EXCLUSIVE));
		take(new LeaseRequest("another", LEASE, LockType.EXCLUSIVE));
		assertThat(owners()).hasSize(3);
		assertThat(owners(LockType.SEMAPHORE)).extracting(LockOwner::id).containsExactlyInAnyOrder(id(one), id(other));
		assertThat(owners(LockType.EXCLUSIVE)).extracting(LockOwner::id).containsExactly(id(alone));
		assertThat(revoke(owners(LockType.SEMAPHORE).stream()
			.filter((owner) -> owner.id().equals(id(one)))
			.findAny()
			.orElseThrow())).isTrue();
		assertThat(get(one.renew(LEASE))).isNull();
		assertThat(get(other.renew(LEASE))).isNotNull();
		assertThat(get(alone.renew(LEASE))).isNotNull();
		assertThat(get(this.provider.tryAcquire(permit))).as("the permit is free").isNotNull();
		assertThat(get(this.provider.tryAcquire(permit))).isNull();
	}

	@Test
	void readerWhoseRowIsGoneIsNoOwner() throws SQLException {
		Lease reader = take(request(LockType.READ));
		assertThat(onlyOwner().remaining().orElseThrow()).isBetween(LEASE.dividedBy(2), LEASE);
		try (Connection connection = this.pool.getConnection()) {
			Session.on(connection).update("DELETE FROM distributed_lock");
		}
		assertThat(owners()).isEmpty();
		assertThat(get(reader.renew(LEASE))).isNull();
	}

	@Test
	void readerThatHasExpiredIsNoOwnerBesideOneThatHasNot() {
		take(new LeaseRequest("k", Duration.ofMillis(200), LockType.READ));
		Lease reader = take(request(LockType.READ));
		Patience.await().until(() -> owners().size() == 1);
		assertThat(onlyOwner().id()).isEqualTo(id(reader));
	}

	@Test
	void ownerThatIsRevokedBeforeItReadsItsTokenDoesNotGetThatOfTheNextOne() {
		LostStatements statements = new LostStatements(this.pool);
		LockProvider slow = open(JdbcLocks.provider(statements.dataSource(),
				Databases.settings(JdbcDialect.H2).withCommandTimeout(Patience.LIMIT)));
		LostStatements.Fault inserted = statements.delayReply((sql) -> sql.startsWith("INSERT INTO"));
		CompletionStage<Lease> revoked = slow.tryAcquire(request(LockType.EXCLUSIVE));
		Patience.await().until(inserted::isReached);
		assertThat(revoke(onlyOwner())).isTrue();
		take(request(LockType.EXCLUSIVE));
		inserted.proceed();
		assertThat(get(revoked)).isNull();
	}

	@Test
	void tokenIsTheLastOneOfAGrant() {
		Lease lease = take(
				new LeaseRequest("k", LEASE, LockType.EXCLUSIVE, 1, System.nanoTime() + LEASE.toNanos(), 8, LEASE));
		assertThat(onlyOwner().fencingToken())
			.isEqualTo(OptionalLong.of(lease.fencingToken().orElseThrow() + lease.fencingTokens() - 1));
	}

	@Test
	void keyIsTakenFromANodeThatIsCutOff() {
		H2TestServer server = open(H2TestServer.run());
		Databases.createSchema(JdbcDialect.H2, server.url(), "sa", "");
		TcpProxy proxy = open(new TcpProxy(server.port()));
		LockProvider cutOff = provider(
				open(Databases.pool(server.url().replace(":" + server.port(), ":" + proxy.port()), "sa", "", 2)),
				JdbcLockStrategy.ROW);
		this.provider = provider(open(Databases.pool(server.url(), "sa", "", 5)), JdbcLockStrategy.ROW);
		Lease lease = Objects.requireNonNull(get(cutOff.tryAcquire(request(LockType.EXCLUSIVE))));
		proxy.dropReplies();
		LockQueue.Place place = behindOthers(request(LockType.EXCLUSIVE));
		assertThat(revoke(onlyOwner())).isTrue();
		Lease next = get(place.granted());
		assertThat(next.fencingToken().orElseThrow()).isGreaterThan(lease.fencingToken().orElseThrow());
		proxy.heal();
		Patience.await("the former owner learns of it").ignoreExceptions().until(() -> get(lease.renew(LEASE)) == null);
		assertThat(get(lease.release())).isFalse();
		assertThat(get(next.renew(LEASE))).isNotNull();
	}

	@ParameterizedTest
	@EnumSource(JdbcLockStrategy.class)
	void onlyTablesSayWhoHasAKey(JdbcLockStrategy strategy) {
		LockProvider notified = open(
				JdbcLocks.provider(this.pool, Databases.settings(JdbcDialect.POSTGRESQL).withStrategy(strategy)));
		boolean tables = strategy == JdbcLockStrategy.ROW || strategy == JdbcLockStrategy.VERSION;
		assertThat(notified instanceof LockOwners).isEqualTo(tables);
	}

	private Lease take(LeaseRequest request) {
		return Objects.requireNonNull(get(this.provider.tryAcquire(request)));
	}

	private LockQueue.Place behindOthers(LeaseRequest request) {
		LockQueue.Place place = ((LockQueue) this.provider).enqueue(request);
		Patience.await().until(place::isBehindOthers);
		return place;
	}

	private List<LockOwner> owners() {
		return get(((LockOwners) this.provider).owners("k"));
	}

	private List<LockOwner> owners(LockType type) {
		return owners().stream().filter((owner) -> owner.type() == type).toList();
	}

	private LockOwner onlyOwner() {
		List<LockOwner> owners = owners();
		assertThat(owners).hasSize(1);
		return owners.get(0);
	}

	private boolean revoke(LockOwner owner) {
		return get(((LockOwners) this.provider).revoke("k", owner));
	}

	private static String id(Lease lease) {
		return lease.ownerId().orElseThrow();
	}

	private static LeaseRequest request(LockType type) {
		return new LeaseRequest("k", LEASE, type);
	}

	private LockProvider provider(HikariDataSource database, JdbcLockStrategy strategy) {
		return open(JdbcLocks.provider(database, Databases.settings(JdbcDialect.H2).withStrategy(strategy)));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
