package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import io.distributedlock.test.server.contract.RedisProxyContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

class RedissonProxyTests extends RedisProxyContract {

	private static final Duration LONG = Duration.ofMinutes(2);

	private final List<RedissonClient> clients = new ArrayList<>();

	@AfterEach
	void disconnect() {
		this.clients.forEach(RedissonClient::shutdown);
	}

	@Override
	protected LockProvider provider(String url) {
		Config config = Clients.config();
		config.setUseScriptCache(false);
		config.useSingleServer().setAddress(url);
		RedissonClient client = Redisson.create(config);
		this.clients.add(client);
		RedissonLockProvider provider = new RedissonLockProvider(client);
		provider.checkAccess("lock");
		return provider;
	}

	/**
	 * The release of one reader cannot look whether the other one lives.
	 */
	@Test
	void readerThatDiesKeepsTheLockUntilTheLongestLeaseEndsAndThatIsSaidAtTheStart() {
		try (StandardError log = new StandardError(); LockProvider provider = provider(url())) {
			Patience.await()
				.untilAsserted(() -> assertThat(log.text()).containsOnlyOnce("Redis refuses UNDECLARED_KEYS: "));
			Lease alive = get(provider.tryAcquire(request(LockType.READ, LONG)));
			assertThat(get(provider.tryAcquire(request(LockType.READ, Duration.ofMillis(100))))).isNotNull();
			assertThat(get(alive.release())).isTrue();
			assertThat(get(provider.tryAcquire(request(LockType.WRITE, LONG)))).isNull();
			assertThat(this.clients.get(0).getKeys().remainTimeToLive("read")).isBetween(1L, LONG.toMillis());
		}
	}

	private static LeaseRequest request(LockType type, Duration leaseTime) {
		return new LeaseRequest("read", leaseTime, type);
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
