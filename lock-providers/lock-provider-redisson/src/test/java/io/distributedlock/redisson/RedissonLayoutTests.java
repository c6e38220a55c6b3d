package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The keys in Redis: their names and their expiry.
 */
class RedissonLayoutTests extends OnOneServer {

	private static final Duration LONG = Duration.ofMinutes(2);

	@ParameterizedTest
	@EnumSource(LockType.class)
	void everyKeyHasAnExpiry(LockType type) {
		Lease lease = attempt(this.provider, "k", type);
		assertThat(lease).isNotNull();
		LockQueue.Place place = this.provider.enqueue(new LeaseRequest("k", LONG, LockType.FAIR));
		Patience.await().until(() -> place.isBehindOthers() || place.granted().toCompletableFuture().isDone());
		assertEverythingExpires();
		assertThat(get(lease.renew(LONG))).isNotNull();
		assertEverythingExpires();
		assertThat(get(lease.release())).isTrue();
		place.leave();
		assertEverythingExpires();
	}

	@Test
	void tokensRiseAcrossLockTypesAndAfterTheCounterWasLost() {
		long last = 0;
		for (LockType type : List.of(LockType.EXCLUSIVE, LockType.WRITE, LockType.READ, LockType.FAIR,
				LockType.EXCLUSIVE)) {
			Lease lease = attempt(this.provider, "tokens", type);
			assertThat(lease.fencingToken().orElseThrow()).as(type.name()).isGreaterThan(last);
			last = lease.fencingToken().orElseThrow();
			get(lease.release());
		}
		server.command("DEL", "redisson_lock_token:{tokens}");
		assertThat(attempt(this.provider, "tokens", LockType.EXCLUSIVE).fencingToken().orElseThrow())
			.isGreaterThan(last);
	}

	@Test
	void counterThatWasCreatedByHandIsCountedUpAndKept() {
		RFencedLock byHand = this.client.getFencedLock("counted");
		long first = byHand.lockAndGetToken(30, TimeUnit.SECONDS);
		byHand.unlock();
		Lease lease = attempt(this.provider, "counted", LockType.EXCLUSIVE);
		assertThat(lease.fencingToken()).isEqualTo(OptionalLong.of(first + 1));
		get(lease.release());
		assertThat(byHand.lockAndGetToken(30, TimeUnit.SECONDS)).isEqualTo(first + 2);
		byHand.unlock();
		assertThat(pttl("redisson_lock_token:{counted}")).as("no expiry").isEqualTo(-1);
	}

	@Test
	void fencedLockByHandContinuesOurTokens() {
		Lease lease = attempt(this.provider, "ours", LockType.EXCLUSIVE);
		RFencedLock byHand = this.client.getFencedLock("ours");
		assertThat(byHand.tryLock()).isFalse();
		get(lease.release());
		assertThat(byHand.lockAndGetToken(30, TimeUnit.SECONDS)).isEqualTo(lease.fencingToken().orElseThrow() + 1);
		byHand.unlock();
		assertThat(attempt(this.provider, "ours", LockType.EXCLUSIVE).fencingToken().orElseThrow())
			.isGreaterThan(lease.fencingToken().orElseThrow() + 1);
	}

	@Test
	void numberOfPermitsThatWasSetByHandIsKept() throws Exception {
		RPermitExpirableSemaphore byHand = this.client.getPermitExpirableSemaphore("{rooms}:permits");
		byHand.trySetPermits(1);
		Lease lease = attempt(this.provider, "rooms", LockType.SEMAPHORE);
		assertThat(byHand.tryAcquire()).isNull();
		get(lease.release());
		assertThat(pttl("{rooms}:permits")).as("no expiry").isEqualTo(-1);
		String permit = byHand.tryAcquire(0, 30, TimeUnit.SECONDS);
		assertThat(permit).isNotNull();
		assertThat(attempt(this.provider, "rooms", LockType.SEMAPHORE)).isNull();
		byHand.release(permit);
		assertThat(byHand.availablePermits()).isOne();
	}

	@Test
	void permitOfAnExpiredLeaseIsFreeAgain() {
		Lease ended = attempt(this.provider, "seats", LockType.SEMAPHORE);
		assertThat(attempt(this.provider, "seats", LockType.SEMAPHORE)).isNull();
		// one that arrives after its end is refused
		assertThat(get(ended.renew(Duration.ofSeconds(2)))).isNotNull();
		Lease[] next = new Lease[1];
		Patience.await().until(() -> {
			next[0] = attempt(this.provider, "seats", LockType.SEMAPHORE);
			return next[0] != null;
		});
		assertThat(get(ended.renew(LONG))).isNull();
		assertThat(get(ended.release())).isFalse();
		assertThat(this.client.getPermitExpirableSemaphore("{seats}:permits").availablePermits()).isZero();
		assertThat(get(next[0].release())).isTrue();
	}

	@Test
	void semaphoreAndLockNeverMeet() {
		assertThat(attempt(this.provider, "k", LockType.SEMAPHORE)).isNotNull();
		assertThat(attempt(this.provider, "k:permits", LockType.EXCLUSIVE)).isNotNull();
		assertThat(attempt(this.provider, "k:permits:timeout", LockType.EXCLUSIVE)).isNotNull();
	}

	@Test
	void semaphoresOfAKeyAndOfTheKeyInBracesAreTwo() throws Exception {
		assertThat(attempt(this.provider, "desks", LockType.SEMAPHORE)).isNotNull();
		Lease braced = attempt(this.provider, "{desks}", LockType.SEMAPHORE);
		assertThat(braced).isNotNull();
		RPermitExpirableSemaphore byHand = this.client.getPermitExpirableSemaphore("{desks}}:permits");
		assertThat(byHand.tryAcquire()).isNull();
		get(braced.release());
		assertThat(byHand.tryAcquire(0, 30, TimeUnit.SECONDS)).isNotNull();
	}

	@Test
	void mappedNamesExcludeEachOtherForEveryLockType() {
		RedissonClient mapped = mapped("mapped:");
		try {
			RedissonLockProvider named = new RedissonLockProvider(mapped);
			Lease reader = attempt(named, "m", LockType.READ);
			Lease second = attempt(named, "m", LockType.READ);
			assertThat(attempt(named, "m", LockType.WRITE)).isNull();
			assertThat(get(second.release())).isTrue();
			assertThat(attempt(named, "m", LockType.WRITE)).as("while the other reads").isNull();
			assertThat(get(reader.renew(LONG))).isNotNull();
			assertThat(get(reader.release())).isTrue();
			RReadWriteLock byHand = mapped.getReadWriteLock("m");
			Lease writer = attempt(named, "m", LockType.WRITE);
			assertThat(byHand.readLock().tryLock()).isFalse();
			assertThat(get(writer.release())).isTrue();
			assertThat(byHand.readLock().tryLock()).isTrue();
			assertThat(attempt(named, "m", LockType.WRITE)).isNull();
			Lease beside = attempt(named, "m", LockType.READ);
			assertThat(beside).isNotNull();
			assertThat(get(beside.release())).isTrue();
			assertThat(attempt(named, "m", LockType.WRITE)).as("while one reads by hand").isNull();
			byHand.readLock().unlock();
			assertThat(get(attempt(named, "m", LockType.WRITE).release())).isTrue();
		}
		finally {
			mapped.shutdown();
		}
	}

	@Test
	void readersLeaseThatIsShortenedExpiresEarlier() {
		Lease first = attempt(this.provider, "k", LockType.READ);
		Lease second = attempt(this.provider, "k", LockType.READ);
		assertThat(get(first.renew(Duration.ofSeconds(1)))).isNotNull();
		assertThat(this.client.getKeys().remainTimeToLive("k")).as("while the other reads").isGreaterThan(60_000);
		assertThat(get(second.renew(Duration.ofSeconds(1)))).isNotNull();
		Patience.await().until(() -> attempt(this.provider, "k", LockType.WRITE) != null);
	}

	@Test
	void mappedNamesHaveOneCounterAndLeaveNoPlace() {
		RedissonClient mapped = mapped("mapped:");
		try {
			RedissonLockProvider named = new RedissonLockProvider(mapped);
			long last = 0;
			for (LockType type : List.of(LockType.EXCLUSIVE, LockType.WRITE, LockType.FAIR, LockType.READ)) {
				Lease lease = attempt(named, "m", type);
				assertThat(lease.fencingToken().orElseThrow()).isGreaterThan(last);
				last = lease.fencingToken().orElseThrow();
				get(lease.release());
			}
			Lease holder = attempt(named, "m", LockType.FAIR);
			LockQueue.Place place = named.enqueue(new LeaseRequest("m", LONG, LockType.FAIR));
			Patience.await().until(place::isBehindOthers);
			assertThat(server.command("LLEN", "{mapped:m}:line")).isEqualTo(1L);
			place.leave();
			Patience.await().until(() -> server.command("LLEN", "{mapped:m}:line").equals(0L));
			get(holder.release());
			assertThat((List<?>) server.command("KEYS", "*"))
				.allSatisfy((key) -> assertThat(key.toString()).contains("mapped:m"));
			assertThat(get(attempt(named, "m", LockType.SEMAPHORE).release())).isTrue();
			new RedissonFencedResource(mapped).set("value", "text", last);
			assertThat(server.command("GET", "mapped:value")).isEqualTo("text");
		}
		finally {
			mapped.shutdown();
		}
	}

	@Test
	void readersWhoseLeaseExpiredAreRemovedFromTheHash() {
		Lease keeper = attempt(this.provider, "busy", LockType.READ);
		for (int i = 0; i < 20; i++) {
			get(this.provider.tryAcquire(new LeaseRequest("busy", Duration.ofMillis(1), LockType.READ)));
		}
		Patience.await().until(() -> {
			get(attempt(this.provider, "busy", LockType.READ).release());
			return server.command("HLEN", "busy").equals(2L);
		});
		assertThat(get(keeper.release())).isTrue();
		assertThat(server.command("EXISTS", "busy")).isEqualTo(0L);
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void fullMemoryAllowsRenewalAndRelease(LockType type) {
		Lease lease = attempt(this.provider, "full", type);
		Lease second = attempt(this.provider, "full2", type);
		server.command("CONFIG", "SET", "maxmemory", "1");
		try {
			CompletableFuture<Lease> refused = this.provider.tryAcquire(new LeaseRequest("more", LONG, type))
				.toCompletableFuture();
			assertThat(refused).failsWithin(Patience.LIMIT).withThrowableThat().withMessageContaining("out of memory");
			assertThat(get(lease.renew(LONG))).isNotNull();
			assertThat(get(lease.release())).isTrue();
			assertThat(get(second.release())).isTrue();
		}
		finally {
			server.command("CONFIG", "SET", "maxmemory", "0");
		}
		assertThat(get(attempt(this.provider, "full", type).release())).isTrue();
	}

	private static RedissonClient mapped(String prefix) {
		Config config = Clients.patientConfig(server.url());
		config.setNameMapper(new NameMapper() {
			@Override
			public String map(String name) {
				return prefix + name;
			}

			@Override
			public String unmap(String name) {
				return name.substring(prefix.length());
			}
		});
		return Redisson.create(config);
	}

	private static void assertEverythingExpires() {
		for (Object key : (List<?>) server.command("KEYS", "*")) {
			// -2 means that the key has expired meanwhile
			assertThat(pttl(key.toString())).as(key.toString()).isNotEqualTo(-1);
		}
	}

	private static Lease attempt(RedissonLockProvider provider, String key, LockType type) {
		return get(provider.tryAcquire(new LeaseRequest(key, LONG, type)));
	}

}
