package io.distributedlock.redisson;

import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.contract.RedisSentinelContract;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

class RedissonSentinelTests extends RedisSentinelContract {

	@Override
	protected ProviderFactory.Node connect(int sentinelPort) {
		Config config = Clients.config();
		config.useSentinelServers()
			.addSentinelAddress("redis://127.0.0.1:" + sentinelPort)
			.setMasterName(RedisTestSentinel.MASTER)
			.setCheckSentinelsList(false)
			.setScanInterval(500)
			.setTimeout(1000)
			.setMasterConnectionMinimumIdleSize(1)
			.setSlaveConnectionMinimumIdleSize(1);
		RedissonClient client = Redisson.create(config);
		return new ProviderFactory.Node(new RedissonLockProvider(client), client::shutdown);
	}

	@Override
	protected boolean mayStay(String key) {
		return key.startsWith("redisson_lock_token:") || key.endsWith(":permits");
	}

}
