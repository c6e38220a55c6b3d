package io.distributedlock.examples;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.redisson.RedissonFencedResource;
import org.redisson.api.RedissonClient;

import org.springframework.stereotype.Service;

@Service
class ShopSettings {

	private final RedissonFencedResource settings;

	private final Source source;

	ShopSettings(RedissonClient client, Source source) {
		this.settings = new RedissonFencedResource(client);
		this.source = source;
	}

	@DistributedLock(name = "settings", key = "#name", leaseTime = "${settings.lease-time}")
	public void refresh(String name) {
		long token = LockContext.current().fencingToken().orElseThrow();
		String value = this.source.read(name);
		this.settings.set(name, value, token); // or StaleTokenException
	}

	interface Source {

		String read(String name);

	}

}
