package io.distributedlock.autoconfigure.zookeeper;

import java.nio.charset.StandardCharsets;

import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.zookeeper.ZooKeeperLockProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of locks on ZooKeeper. It uses the application's
 * {@link CuratorFramework} if there is one, otherwise a client that is created from
 * {@code lock.zookeeper.*}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class,
		afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass({ CuratorFramework.class, ZooKeeperLockProvider.class })
@ConditionalOnLockProvider(ZooKeeperLockProvider.NAME)
@EnableConfigurationProperties({ LockProperties.class, ZooKeeperLockProperties.class })
public final class ZooKeeperLockAutoConfiguration {

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	CuratorFramework lockCuratorFramework(ZooKeeperLockProperties properties) {
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(properties.getConnectString())
			.sessionTimeoutMs(Math.toIntExact(properties.getSessionTimeout().toMillis()))
			.connectionTimeoutMs(Math.toIntExact(properties.getConnectionTimeout().toMillis()))
			// no retries by Curator: the engine asks again within the wait time
			.retryPolicy(new RetryNTimes(0, 0));
		String username = properties.getUsername();
		if (username != null) {
			builder.authorization("digest",
					(username + ":" + properties.getPassword()).getBytes(StandardCharsets.UTF_8));
		}
		CuratorFramework client = builder.build();
		// connects in the background: the application starts even if ZooKeeper is down
		client.start();
		return client;
	}

	@Bean
	@ConditionalOnMissingBean
	ZooKeeperLockProvider zookeeperLockProvider(CuratorFramework client, ZooKeeperLockProperties properties,
			LockProperties lock) {
		return new ZooKeeperLockProvider(client, properties.getRoot(), lock.getCommandTimeout());
	}

}
