package io.distributedlock.redisson;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("all")
class BrokenRedissonTests extends OnOneServer {

	private static final Duration LONG = Duration.ofMinutes(2);

	/**
	 * A reader's minimum hold: its release is a renewal of the rest, which leaves the
	 * expiry of the hash.
	 */
	@Test
	void readerKeepsTheKeyForItsMinimumAndNoLonger() {
		try (DefaultLockTemplate node = DefaultLockTemplate.builder().provider(this.provider).build()) {
			node.acquire(LockRequest.of("k")
				.withType(LockType.READ)
				.withLeaseTime(Duration.ofSeconds(60))
				.withHoldAtLeast(Duration.ofSeconds(2))).close();
			Optional<LockHandle> writer = node.tryAcquire(
					LockRequest.of("k").withType(LockType.WRITE).withWaitTime(Duration.ofSeconds(15)));
			assertThat(writer).as("after thirteen seconds more than the minimum").isPresent();
			writer.get().close();
		}
	}

	/**
	 * The same for a reader whose lease was shortened, and whose holder then dies.
	 */
	@Test
	void leaseOfAReaderThatWasShortenedEndsEarlier() throws Exception {
		Lease reader = attempt("k", LockType.READ, LONG);
		assertThat(get(reader.renew(Duration.ofSeconds(1)))).isNotNull();
		TimeUnit.SECONDS.sleep(3);
		assertThat(attempt("k", LockType.WRITE, LONG)).as("two seconds after the end").isNotNull();
	}

	/**
	 * The class says of its scripts that one that is executed twice, or late, changes
	 * nothing the second time.
	 */
	@Test
	void acquisitionThatIsExecutedAgainAfterTheDowngradeTakesNobodysLock() throws Exception {
		LeaseRequest brief = new LeaseRequest("k", Duration.ofSeconds(1), LockType.WRITE);
		Lease writer = get(this.provider.tryAcquire(brief));
		Lease reader = writer.asReader().orElseThrow();
		assertThat(get(reader.renew(LONG))).isNotNull();
		Lease other = attempt("k", LockType.READ, LONG);
		assertThat(other).isNotNull();
		RedissonServer again = new RedissonServer(this.client);
		get(again.send(((RedissonLease) writer).owner().acquire(brief, Duration.ZERO, "publish")));
		TimeUnit.MILLISECONDS.sleep(1500);
		assertThat(attempt("k", LockType.WRITE, LONG)).as("a writer beside two readers").isNull();
		assertThat(get(other.renew(LONG))).isNotNull();
	}

	@Test
	void acquisitionThatIsExecutedAgainAfterTheDowngradeAndAReleaseTakesNobodysLock() {
		LeaseRequest request = new LeaseRequest("k", LONG, LockType.WRITE);
		Lease writer = get(this.provider.tryAcquire(request));
		Lease reader = writer.asReader().orElseThrow();
		assertThat(get(reader.renew(LONG))).isNotNull();
		Lease other = attempt("k", LockType.READ, LONG);
		RedissonServer again = new RedissonServer(this.client);
		get(again.send(((RedissonLease) writer).owner().acquire(request, Duration.ZERO, "publish")));
		assertThat(get(reader.release())).isTrue();
		assertThat(attempt("k", LockType.WRITE, LONG)).as("a writer beside the other reader").isNull();
		assertThat(get(other.renew(LONG))).isNotNull();
	}

	/**
	 * The watchdog of a reader by hand sets the expiry of the hash to its own time-out,
	 * though ours reads for longer. When that reader dies the hash ends with it.
	 */
	@Test
	void readerByHandThatDiesTakesNobodysLease() throws Exception {
		org.redisson.config.Config config = Clients.config(server.url());
		config.setLockWatchdogTimeout(3000);
		org.redisson.api.RedissonClient byHand = org.redisson.Redisson.create(config);
		Lease writer = attempt("k", LockType.WRITE, LONG);
		Lease reader = writer.asReader().orElseThrow();
		assertThat(get(reader.renew(LONG))).isNotNull();
		byHand.getReadWriteLock("k").readLock().lock();
		TimeUnit.MILLISECONDS.sleep(2500);
		// its watchdog ends, and it gives nothing back
		byHand.shutdown();
		TimeUnit.SECONDS.sleep(4);
		assertThat(attempt("k", LockType.WRITE, LONG)).as("a writer beside a reader of two minutes").isNull();
	}

	private Lease attempt(String key, LockType type, Duration lease) {
		CompletableFuture<Lease> attempt = this.provider.tryAcquire(new LeaseRequest(key, lease, type))
			.toCompletableFuture();
		return get(attempt);
	}

}
