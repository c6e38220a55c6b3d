package io.distributedlock.redis;

import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.server.contract.RedisDyingWaiterContract;

class RedisDyingWaiterTests extends RedisDyingWaiterContract {

	@Override
	protected Class<? extends ProviderFactory> factory() {
		return RedisLockProviderKitTests.Factory.class;
	}

}
