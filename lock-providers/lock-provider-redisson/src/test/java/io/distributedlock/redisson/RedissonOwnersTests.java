package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Owners are shown and lose their locks, whether they use Redisson by hand or not. Nobody
 * polls: a message wakes the waiter, or nothing does.
 */
class RedissonOwnersTests extends OnOneServer {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private RedissonClient otherClient;

	private RedissonLockProvider other;

	@BeforeEach
	void connectOther() {
		this.otherClient = Clients.patient(server.url());
		this.other = new RedissonLockProvider(this.otherClient);
	}

	@AfterEach
	void disconnectOther() {
		this.other.close();
		this.otherClient.shutdown();
	}

	@Test
	void ownerByHandLosesAllItsEntriesAndAWaiterByHandIsWoken() {
		RLock byHand = this.client.getLock("k");
		locked(byHand);
		locked(byHand);
		LockOwner owner = only("k");
		assertThat(owner.type()).isEqualTo(LockType.EXCLUSIVE);
		assertThat(owner.id()).endsWith(":" + Thread.currentThread().getId());
		assertThat(owner.remaining().orElseThrow()).isBetween(Duration.ofMinutes(9), LONG);
		CompletableFuture<Boolean> waiter = thread(() -> locked(this.otherClient.getLock("k")));
		awaitListeners("redisson_lock__channel:{k}");
		assertThat(get(this.other.revoke("k", owner))).isTrue();
		assertThat(waiter).succeedsWithin(TIMEOUT);
		assertThat(byHand.isHeldByCurrentThread()).isFalse();
		assertThat(get(this.other.revoke("k", owner))).as("the next one keeps it").isFalse();
		assertThat(only("k").id()).isNotEqualTo(owner.id());
		assertEverythingExpires();
	}

	@Test
	void firstInTheLineGetsTheLockOfAnOwnerByHand() {
		this.client.getLock("k").lock(10, TimeUnit.MINUTES);
		LockQueue.Place place = this.other.enqueue(request("k", LockType.EXCLUSIVE));
		Patience.await().until(place::isBehindOthers);
		Patience.await()
			.until(() -> ((List<?>) server.command("PUBSUB", "CHANNELS", "redisson_lock_line:*")).size() == 1);
		assertThat(get(this.provider.revoke("k", only("k")))).isTrue();
		assertThat(place.granted()).succeedsWithin(TIMEOUT);
		assertThat(only("k").id()).isEqualTo(get(place.granted()).ownerId().orElseThrow());
		assertThat(get(get(place.granted()).release())).isTrue();
		assertEverythingExpires();
	}

	@Test
	void firstInTheQueueOfAFairLockByHandIsWoken() {
		Lease lease = attempt(this.provider, "fair", LockType.FAIR);
		assertThat(only("fair").id()).isEqualTo(lease.ownerId().orElseThrow());
		CompletableFuture<Boolean> waiter = thread(() -> locked(this.otherClient.getFairLock("fair")));
		Patience.await().until(() -> server.command("LLEN", "redisson_lock_queue:{fair}").equals(1L));
		Patience.await()
			.until(() -> ((List<?>) server.command("PUBSUB", "CHANNELS", "redisson_lock__channel:{fair}:*"))
				.size() == 1);
		Patience.await().during(Duration.ofMillis(300)).until(() -> !waiter.isDone());
		assertThat(get(this.provider.revoke("fair", only("fair")))).isTrue();
		assertThat(waiter).succeedsWithin(TIMEOUT);
		assertThat(get(lease.release())).isFalse();
		assertThat(get(this.provider.revoke("fair", only("fair")))).isTrue();
		assertEverythingExpires();
	}

	@Test
	void readerByHandLosesAllItsEntriesAndOtherReadersStay() {
		RLock byHand = this.client.getReadWriteLock("k").readLock();
		locked(byHand);
		locked(byHand);
		LockOwner owner = only("k");
		assertThat(owner.type()).isEqualTo(LockType.READ);
		Lease beside = attempt(this.provider, "k", LockType.READ);
		// the second entry may outlive the first
		server.command("DEL", "{k}:" + owner.id() + ":rwlock_timeout:1");
		assertThat(get(this.provider.owners("k"))).hasSize(2);
		assertThat(get(this.other.revoke("k", owner))).isTrue();
		assertThat(only("k").id()).isEqualTo(beside.ownerId().orElseThrow());
		assertThat((List<?>) server.command("KEYS", "*:rwlock_timeout:*")).hasSize(1);
		CompletableFuture<Boolean> writer = thread(() -> locked(this.otherClient.getReadWriteLock("k").writeLock()));
		awaitListeners("redisson_rwlock:{k}");
		assertThat(get(this.other.revoke("k", only("k")))).isTrue();
		assertThat(writer).succeedsWithin(TIMEOUT);
		assertEverythingExpires();
	}

	@Test
	void writerByHandThatAlsoReadsIsOneOwner() {
		RReadWriteLock byHand = this.client.getReadWriteLock("k");
		byHand.writeLock().lock(10, TimeUnit.MINUTES);
		byHand.readLock().lock(10, TimeUnit.MINUTES);
		assertThat(only("k").type()).isEqualTo(LockType.EXCLUSIVE);
		CompletableFuture<Boolean> writer = thread(() -> locked(this.otherClient.getReadWriteLock("k").writeLock()));
		awaitListeners("redisson_rwlock:{k}");
		assertThat(get(this.other.revoke("k", only("k")))).isTrue();
		assertThat(writer).succeedsWithin(TIMEOUT);
		assertEverythingExpires();
	}

	@Test
	void readerThatHasExpiredIsNoOwner() {
		Lease lease = attempt(this.provider, "k", LockType.READ);
		Lease expired = attempt(this.provider, "k", LockType.READ);
		assertThat(get(this.provider.owners("k"))).hasSize(2);
		server.command("PEXPIRE", "{k}:" + expired.ownerId().orElseThrow() + ":rwlock_timeout:1", "1");
		Patience.await().until(() -> get(this.provider.owners("k")).size() == 1);
		assertThat(only("k").id()).isEqualTo(lease.ownerId().orElseThrow());
	}

	@Test
	void permitByHandIsShownAndAWaiterByHandGetsIt() throws Exception {
		RPermitExpirableSemaphore byHand = this.client.getPermitExpirableSemaphore("{k}:permits");
		byHand.trySetPermits(2);
		Lease beside = attempt(this.provider, "k", LockType.SEMAPHORE);
		String endless = byHand.acquire();
		LockOwner owner = get(this.provider.owners("k")).stream()
			.filter((each) -> each.id().equals(endless))
			.findFirst()
			.orElseThrow();
		assertThat(owner.type()).isEqualTo(LockType.SEMAPHORE);
		assertThat(owner.remaining()).as("a permit without an end").isEmpty();
		CompletableFuture<Boolean> waiter = thread(() -> acquired(this.otherClient));
		awaitListeners("redisson_sc:{k}:permits");
		assertThat(get(this.other.revoke("k", owner))).isTrue();
		assertThat(waiter).succeedsWithin(TIMEOUT);
		assertThat(get(this.other.revoke("k", owner))).isFalse();
		assertThat(get(this.provider.owners("k"))).hasSize(2)
			.anySatisfy((each) -> assertThat(beside.ownerId()).contains(each.id()));
	}

	@Test
	void lockAndPermitsOfOneKeyAreShownTogether() {
		Lease lock = attempt(this.provider, "k", LockType.EXCLUSIVE);
		Lease permit = attempt(this.provider, "k", LockType.SEMAPHORE);
		assertThat(get(this.other.owners("k"))).extracting(LockOwner::id)
			.containsExactly(lock.ownerId().orElseThrow(), permit.ownerId().orElseThrow());
	}

	@ParameterizedTest
	@EnumSource
	void ownersOfMappedNamesAreShownAndReleased(LockType type) {
		Config config = Clients.patientConfig(server.url());
		config.setNameMapper(new NameMapper() {
			@Override
			public String map(String name) {
				return "mapped:" + name;
			}

			@Override
			public String unmap(String name) {
				return name.substring("mapped:".length());
			}
		});
		RedissonClient mapped = Redisson.create(config);
		try (RedissonLockProvider named = new RedissonLockProvider(mapped)) {
			Lease lease = attempt(named, "k", type);
			assertThat(get(this.provider.owners("k"))).isEmpty();
			List<LockOwner> owners = get(named.owners("k"));
			assertThat(owners).singleElement().satisfies((owner) -> assertThat(lease.ownerId()).contains(owner.id()));
			assertThat(get(named.revoke("k", owners.get(0)))).isTrue();
			assertThat(get(named.owners("k"))).isEmpty();
			assertThat(get(lease.renew(LONG))).isNull();
			assertEverythingExpires();
		}
		finally {
			mapped.shutdown();
		}
	}

	private LockOwner only(String key) {
		List<LockOwner> owners = get(this.provider.owners(key));
		assertThat(owners).hasSize(1);
		return owners.get(0);
	}

	private static boolean locked(RLock lock) {
		lock.lock(10, TimeUnit.MINUTES);
		return true;
	}

	private static boolean acquired(RedissonClient client) {
		try {
			return client.getPermitExpirableSemaphore("{k}:permits").acquire(10, TimeUnit.MINUTES) != null;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static <T> CompletableFuture<T> thread(Supplier<T> task) {
		return CompletableFuture.supplyAsync(task, (run) -> new Thread(run).start());
	}

	private static void awaitListeners(String channel) {
		Patience.await()
			.during(Duration.ofMillis(300))
			.until(() -> ((List<?>) server.command("PUBSUB", "NUMSUB", channel)).get(1).equals(1L));
	}

	private static Lease attempt(RedissonLockProvider provider, String key, LockType type) {
		Lease lease = get(provider.tryAcquire(request(key, type)));
		assertThat(lease).isNotNull();
		return lease;
	}

	private static LeaseRequest request(String key, LockType type) {
		return new LeaseRequest(key, LONG, type);
	}

	private static void assertEverythingExpires() {
		for (Object key : (List<?>) server.command("KEYS", "*")) {
			// -2 means that the key has expired meanwhile
			assertThat(pttl(key.toString())).as(key.toString()).isNotEqualTo(-1);
		}
	}

}
