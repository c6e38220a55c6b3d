package io.distributedlock.redisson;

import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.server.contract.RedisDyingWaiterContract;

class RedissonDyingWaiterTests extends RedisDyingWaiterContract {

	@Override
	protected Class<? extends ProviderFactory> factory() {
		return RedissonLockProviderKitTests.Factory.class;
	}

}
