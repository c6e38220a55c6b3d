package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockQueue.Place;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.redis.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Owners are shown, and lose their locks to those who wait.
 */
class RedisOwnersTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	/**
	 * An interval after which no test looks: a message brings the grant, or nothing does.
	 */
	private static final Duration NEVER = Duration.ofMinutes(10);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private RedisTestServer server;

	private RedisLockProvider provider;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.run();
		this.provider = provider();
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "WRITE", "READ" })
	void firstInTheLineGetsTheLockOfAFormerOwner(LockType type) {
		Lease lease = attempt(type);
		LockOwner owner = only("k");
		assertThat(lease.ownerId()).contains(owner.id());
		assertThat(owner.remaining().orElseThrow()).isBetween(Duration.ofSeconds(1), LEASE);
		Place place = provider().enqueue(request(LockType.EXCLUSIVE));
		Patience.await().until(place::isBehindOthers);
		Patience.await().until(() -> !((List<?>) this.server.command("PUBSUB", "CHANNELS", "lock:*")).isEmpty());
		assertThat(get(this.provider.revoke("k", owner))).isTrue();
		assertThat(only("k").id()).as("named by the release").isEqualTo(get(place.granted()).ownerId().orElseThrow());
		assertThat(get(lease.renew(LEASE))).isNull();
		assertThat(get(lease.release())).isFalse();
		assertThat(get(this.provider.revoke("k", owner))).as("the next one keeps it").isFalse();
		assertThat(get(get(place.granted()).release())).isTrue();
	}

	@Test
	void readersAndPermitsOfOneKeyAreShownTogether() {
		Lease first = attempt(LockType.READ);
		Lease second = attempt(LockType.READ);
		Lease permit = attempt(LockType.SEMAPHORE);
		assertThat(get(this.provider.owners("k"))).extracting(LockOwner::id)
			.containsExactlyInAnyOrder(first.ownerId().orElseThrow(), second.ownerId().orElseThrow(),
					permit.ownerId().orElseThrow());
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void oneOfSeveralWhoseLeaseHasEndedIsNoOwner(LockType type) {
		Lease lasting = attempt(type);
		Lease ended = attempt(type);
		assertThat(get(this.provider.owners("k"))).hasSize(2);
		// its end has passed, and nobody has removed it yet
		this.server.command("ZADD", (type == LockType.READ) ? "k" : "{k}:permits", "1", ended.ownerId().orElseThrow());
		assertThat(only("k").id()).isEqualTo(lasting.ownerId().orElseThrow());
	}

	@Test
	void ownerByHandIsShownAlsoWithoutAnExpiry() {
		this.server.command("SET", "k", "by hand\n€");
		LockOwner owner = only("k");
		assertThat(owner)
			.isEqualTo(new LockOwner("by hand\n€", LockType.EXCLUSIVE, owner.fencingToken(), Optional.empty()));
		assertThat(get(this.provider.revoke("k", owner))).isTrue();
		assertThat(get(this.provider.owners("k"))).isEmpty();
	}

	@Test
	void keyOfAnotherKindIsAnError() {
		this.server.command("HSET", "k", "field", "value");
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(this.provider.owners("k")))
			.withCauseInstanceOf(BackendException.class)
			.withMessageContaining("is no lock");
	}

	private LockOwner only(String key) {
		List<LockOwner> owners = get(this.provider.owners(key));
		assertThat(owners).hasSize(1);
		return owners.get(0);
	}

	private Lease attempt(LockType type) {
		Lease lease = get(this.provider.tryAcquire(request(type)));
		assertThat(lease).isNotNull();
		return lease;
	}

	private static LeaseRequest request(LockType type) {
		return new LeaseRequest("k", LEASE, type, 5, System.nanoTime() + NEVER.toNanos(), 1, NEVER);
	}

	private RedisLockProvider provider() {
		RedisClient client = Clients.client(this.server.url());
		this.opened.add(() -> Clients.shutdown(client));
		RedisLockProvider created = new RedisLockProvider(client, Duration.ofSeconds(30));
		this.opened.add(created);
		return created;
	}

}
