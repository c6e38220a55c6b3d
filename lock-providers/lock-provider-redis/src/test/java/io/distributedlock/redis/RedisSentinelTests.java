package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.contract.RedisSentinelContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

class RedisSentinelTests extends RedisSentinelContract {

	@Override
	protected ProviderFactory.Node connect(int sentinelPort) {
		RedisClient client = RedisClient.create(Clients.resources(),
				RedisURI.builder()
					.withSentinelMasterId(RedisTestSentinel.MASTER)
					.withSentinel("127.0.0.1", sentinelPort)
					.build());
		return new ProviderFactory.Node(new RedisLockProvider(client, Duration.ofSeconds(2)),
				() -> Clients.shutdown(client));
	}

	@Override
	protected boolean mayStay(String key) {
		return Clients.isCounter(key);
	}

}
