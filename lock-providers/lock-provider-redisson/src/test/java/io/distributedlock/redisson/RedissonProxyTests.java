package io.distributedlock.redisson;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockType;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.server.RedisProxyContract;
import org.junit.jupiter.api.AfterEach;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

class RedissonProxyTests extends RedisProxyContract {

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
	 * Each hold of a reader is a key of its own, which no caller can name in advance.
	 */
	@Override
	protected Set<LockType> types() {
		return EnumSet.complementOf(EnumSet.of(LockType.READ));
	}

}
