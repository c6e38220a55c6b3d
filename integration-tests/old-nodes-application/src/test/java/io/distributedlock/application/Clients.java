package io.distributedlock.application;

import com.zaxxer.hikari.HikariDataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Clients of the servers, which end with their JVM.
 */
final class Clients {

	private Clients() {
	}

	static RedissonClient redisson(String url) {
		Config config = new Config();
		config.useSingleServer().setAddress(url);
		return Redisson.create(config);
	}

	static CuratorFramework zooKeeper(String url) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(url, new RetryOneTime(100));
		client.start();
		return client;
	}

	static HikariDataSource pool(String url) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername("sa");
		pool.setPassword("");
		return pool;
	}

}
