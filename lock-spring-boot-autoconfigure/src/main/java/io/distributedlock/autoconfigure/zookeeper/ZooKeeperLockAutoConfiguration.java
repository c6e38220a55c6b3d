package io.distributedlock.autoconfigure.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.connection.DefaultAddress;
import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.distributedlock.autoconfigure.connection.SignIn;
import io.distributedlock.zookeeper.ZooKeeperLockProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.utils.PathUtils;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

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

	private static final int PORT = 2181;

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	CuratorFramework distributedLockCuratorFramework(ZooKeeperLockProperties properties, Environment environment) {
		DefaultAddress.report(environment, ZooKeeperLockProvider.NAME, properties.connectString(),
				"lock.zookeeper.connect-string");
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(connectString(properties.connectString()))
			.sessionTimeoutMs(millis("lock.zookeeper.session-timeout", properties.sessionTimeout()))
			.connectionTimeoutMs(millis("lock.zookeeper.connection-timeout", properties.connectionTimeout()))
			// no retries by Curator: the engine asks again within the wait time
			.retryPolicy(new RetryNTimes(0, 0));
		SignIn signIn = SignIn.of("lock.zookeeper", properties.username(), properties.password());
		if (signIn != null) {
			builder.authorization("digest",
					(signIn.username() + ":" + signIn.password()).getBytes(StandardCharsets.UTF_8));
		}
		CuratorFramework client = builder.build();
		// connects in the background: the application starts even if ZooKeeper is down
		client.start();
		return client;
	}

	@Bean
	@ConditionalOnMissingBean
	ZooKeeperLockProvider distributedLockProviderZookeeper(CuratorFramework client, ZooKeeperLockProperties properties,
			LockProperties lock) {
		return new ZooKeeperLockProvider(client, root(properties.root()), lock.commandTimeout());
	}

	/**
	 * Require addresses that ZooKeeper can read: its client would only log the others.
	 */
	private static String connectString(String text) {
		int chroot = text.indexOf('/');
		for (String server : StringUtils
			.commaDelimitedListToStringArray((chroot < 0) ? text : text.substring(0, chroot))) {
			ServerAddress.parse("lock.zookeeper.connect-string", server.trim(), PORT);
		}
		return text;
	}

	private static int millis(String property, Duration time) {
		if (time.toMillis() > 0 && time.toMillis() <= Integer.MAX_VALUE) {
			return (int) time.toMillis();
		}
		throw new InvalidLockSetupException(
				"%s is %s, but ZooKeeper takes times from 1 ms to 24 days.".formatted(property, time),
				"Set %s to a time such as 15s.".formatted(property), null);
	}

	private static String root(String path) {
		try {
			return PathUtils.validatePath(path);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockSetupException(
					"lock.zookeeper.root is '%s', which is no path of ZooKeeper: %s.".formatted(path, ex.getMessage()),
					"Write a path that begins with a slash and does not end with one, such as /locks.", ex);
		}
	}

}
