package io.distributedlock.redis;

import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.contract.RedisProxyContract;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;

class RedisProxyTests extends RedisProxyContract {

	private @Nullable RedisClient client;

	@AfterEach
	void disconnect() {
		if (this.client != null) {
			Clients.shutdown(this.client);
		}
		assertThat(refused()).isEmpty();
	}

	@Override
	protected LockProvider provider(String url) {
		if (this.client == null) {
			this.client = Clients.client(url);
		}
		RedisLockProvider provider = new RedisLockProvider(this.client, Patience.LIMIT);
		provider.checkAccess(RedisLockProvider.DEFAULT_PREFIX);
		return provider;
	}

}
