package io.distributedlock.autoconfigure.zookeeper;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of locks on ZooKeeper.
 *
 * @param connectString Servers of the ensemble, such as "zk1:2181,zk2:2181,zk3:2181". Not
 * used if the application has its own CuratorFramework bean.
 * @param root Path of the ZooKeeper node below which all locks are kept.
 * @param sessionTimeout Session time-out to request from ZooKeeper, such as 15s: how long
 * a key stays locked after the JVM of its holder died. The server may choose another
 * value within its own limits.
 * @param connectionTimeout How long it may take to connect, such as 3s.
 * @param username User for authentication with the digest scheme. By default connections
 * do not authenticate.
 * @param password Password of the user for authentication.
 * @since 0.1
 */
@ConfigurationProperties("lock.zookeeper")
public record ZooKeeperLockProperties(@DefaultValue("localhost:2181") String connectString,
		@DefaultValue("/distributed-lock") String root, @DefaultValue("15s") Duration sessionTimeout,
		@DefaultValue("3s") Duration connectionTimeout, @Nullable String username, @Nullable String password) {

	@Override
	public String toString() {
		// without the password
		return "ZooKeeperLockProperties[connectString=%s, root=%s]".formatted(this.connectString, this.root);
	}

}
